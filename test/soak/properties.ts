import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { countFlag, seedFlag } from './lib/soak-flags.ts';
import type { SoakInput, SoakReport } from './lib/soak.ts';

/** Every property of the unit tests, over and over, with inputs that `./dev test` does not give them. */
export const flags = {
  rounds: 'how often all of them run (default 20)',
  seed: 'of the first round; each following one has the next number (default: a random one)',
  folder: 'below test/unit, to run only its properties (default: all)',
};

/** Of vitest's JSON reporter. */
interface FileResult {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages: readonly string[];
  }[];
}

const root = path.join(import.meta.dirname, '..', '..');

export async function run({ values, say }: SoakInput): Promise<SoakReport> {
  const rounds = countFlag(values, 'rounds', 20, 1);
  const seed = seedFlag(values);
  const files = await filesWithProperties(path.join(root, 'test', 'unit', values['folder'] ?? ''));
  const failures: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const failed = await runFiles(files, seed + round);
    failures.push(...failed.map((name) => `seed ${seed + round}: ${name}`));
    say(`round ${round + 1} of ${rounds}, seed ${seed + round}: ${failed.length} failed`);
  }
  return { ok: failures.length === 0 && files.length > 0, seed, rounds, files: files.length, failures };
}

async function filesWithProperties(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && file.endsWith('.spec.ts') && (await readFile(file, 'utf8')).includes('fc.assert('))
      found.push(file);
  }
  return found.sort();
}

/** What failed: name of the test (of the file, when it could not be run), and the words, which have seed and counterexample. */
async function runFiles(files: readonly string[], seed: number): Promise<string[]> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'haptic-properties-'));
  const report = path.join(scratch, 'report.json');
  try {
    await new Promise<void>((resolve, reject) => {
      const child = spawn(
        'vitest',
        ['run', '--project', 'unit', '--reporter=json', `--outputFile=${report}`, ...files],
        {
          cwd: root,
          stdio: ['ignore', 'ignore', 'inherit'],
          env: { ...process.env, HAPTIC_PROPERTY_SEED: String(seed) },
        },
      );
      child.once('error', reject);
      child.once('exit', () => resolve());
    });
    const { testResults } = JSON.parse(await readFile(report, 'utf8')) as { testResults: FileResult[] };
    return testResults.flatMap(({ name, status, message, assertionResults }) => {
      const failed = assertionResults.filter((test) => test.status === 'failed');
      return status === 'failed' && failed.length === 0
        ? [`${path.relative(root, name)}: ${message}`]
        : failed.map((test) => `${test.fullName}: ${test.failureMessages.join('\n')}`);
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
