import { spawn } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { nodeFlags } from '../src/lib/node-flags.ts';
import { buildProduct } from './build-product.ts';
import { bundle } from './bundle.ts';

/**
 * `bench [NAME…] [--json]`: each bench in test/bench exports `run(): Promise<object>`, is bundled together with the
 * source it measures by the product's own options, and runs alone in a process with `--expose-gc`. With --json stdout is
 * one object: `load` (the machine's load averages, before) and one key per bench; of a single bench its fields stand at the top
 * as well. All else goes to stderr.
 */
const args = process.argv.slice(2);
const json = args.includes('--json');
const asked = args.filter((arg) => !arg.startsWith('--'));
const known = (await readdir('test/bench')).filter((f) => f.endsWith('.ts')).map((f) => basename(f, '.ts'));
const unknown = [
  ...asked.filter((name) => !known.includes(name)),
  ...args.filter((arg) => arg.startsWith('--') && arg !== '--json'),
];
if (unknown.length > 0) {
  process.stderr.write(`unknown bench or option: ${unknown.join(', ')} (known: ${known.sort().join(' ')})\n`);
  process.exit(2);
}

const names = asked.length > 0 ? asked : known.sort();
const scratch = await mkdtemp(join(tmpdir(), 'haptic-bench-'));
const report: Record<string, unknown> = { load: loadavg() };
try {
  await buildProduct();
  for (const name of names) {
    process.stderr.write(`bench ${name}\n`);
    report[name] = await runBench(name);
    if (!json) process.stdout.write(`${name} ${JSON.stringify(report[name], null, 2)}\n`);
  }
  if (json) process.stdout.write(`${JSON.stringify(withSingle(report))}\n`);
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function runBench(name: string): Promise<unknown> {
  const entry = join(scratch, `${name}.ts`);
  const result = join(scratch, `${name}.json`);
  const source = join(process.cwd(), 'test', 'bench', `${name}.ts`);
  await writeFile(
    entry,
    `import { writeFileSync } from 'node:fs';\nimport { run } from ${JSON.stringify(source)};\n` +
      `writeFileSync(${JSON.stringify(result)}, JSON.stringify(await run()));\nprocess.exit(0);\n`,
  );
  await bundle({ [name]: entry }, 'dist/bench');
  const code = await new Promise<number>((resolve, reject) => {
    const child = spawn(process.execPath, [...nodeFlags, '--expose-gc', `dist/bench/${name}.js`], {
      // The bench's own prints must not mix with the one object on stdout.
      stdio: ['ignore', process.stderr, process.stderr],
    });
    child.once('error', reject);
    child.once('exit', (exitCode) => resolve(exitCode ?? 1));
  });
  if (code !== 0) throw new Error(`bench ${name} ended with exit code ${code}`);
  return JSON.parse(await readFile(result, 'utf8')) as unknown;
}

function withSingle(all: Record<string, unknown>): object {
  const [only] = names;
  const fields = names.length === 1 && only !== undefined ? all[only] : undefined;
  return typeof fields === 'object' ? { ...fields, ...all } : all;
}
