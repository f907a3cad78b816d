import { readdir } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Soak, SoakReport } from '../test/soak/lib/soak.ts';
import { parseSoakArguments } from './soak-arguments.ts';

/**
 * `soak NAME [--flag value…]`: runs test/soak/NAME.ts, a long test with figures. stdout is one JSON object: what the
 * soak reports, `soak`, `load` (the machine's load averages, before) and `tookMs`. All else goes to stderr.
 * Exit code 0 when it holds, 1 when it does not, 2 when it was called wrongly.
 */
const folder = join(import.meta.dirname, '..', 'test', 'soak');
const known = (await readdir(folder))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => basename(file, '.ts'));
const [name = '', ...rest] = process.argv.slice(2);
if (!known.includes(name)) {
  process.stderr.write(`usage: ./dev soak NAME [--flag value…]; NAME is one of: ${known.sort().join(' ')}\n`);
  process.exit(2);
}

const soak = (await import(pathToFileURL(join(folder, `${name}.ts`)).href)) as Soak;
const parsed = parseSoakArguments(rest, soak.flags);
if (!parsed.ok) {
  const flags = Object.entries(soak.flags).map(([flag, meaning]) => `  --${flag}  ${meaning}\n`);
  process.stderr.write(`${parsed.message}\n${flags.join('')}`);
  process.exit(2);
}
// Whatever the soak started is ended by its own handlers of `exit`, which a signal alone would not run.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => process.exit(code));

const load = loadavg();
const began = performance.now();
const report = await runSoak();
const tookMs = Math.round(performance.now() - began);
process.stdout.write(`${JSON.stringify({ soak: name, ...report, load, tookMs })}\n`, () =>
  process.exit(report.ok ? 0 : 1),
);

async function runSoak(): Promise<SoakReport> {
  if (!parsed.ok) return { ok: false };
  try {
    return await soak.run({
      values: parsed.values,
      say: (text) => process.stderr.write(`${name}: ${text}\n`),
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}
