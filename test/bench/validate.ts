import { execFile } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { findLines } from './lib/find-lines.ts';
import { percentile } from './lib/statistics.ts';

const runs = 3;

/**
 * `haptic validate` of all shipped libraries, as the program that ships: from its start to its exit, on every HAProxy line found. `ms`:
 * median of the slowest line; `lines.<line>.ms`: median of each. The runs take turns, so that noise of the machine meets all alike.
 */
export async function run(): Promise<object> {
  const found = findLines();
  const times = new Map(found.map(({ line }) => [line, [] as number[]]));
  let tests = 0;
  for (let turn = 0; turn < runs; turn++)
    for (const { line, path } of found) {
      const begun = performance.now();
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['dist/haptic.js', 'validate', '--haproxy', path, '-o', 'json'],
        { maxBuffer: 64 * 1024 * 1024 },
      );
      times.get(line)?.push(performance.now() - begun);
      const report = JSON.parse(stdout) as { totalTests: number; failedTests: number };
      if (report.failedTests > 0) throw new Error(`${report.failedTests} tests failed on HAProxy ${line}`);
      tests = report.totalTests;
    }
  const lines = Object.fromEntries(
    [...times].map(([line, measured]) => [line, { ms: Math.round(percentile(measured, 0.5)) }]),
  );
  return { ms: Math.max(...Object.values(lines).map(({ ms }) => ms)), tests, lines };
}
