import { CodedError } from '../lib/coded-error.ts';
import { benchmarkTest, type TestBenchmark, type Timing } from '../validation/benchmark-test.ts';
import { globalTest } from '../validation/merge-global.ts';
import { statLines } from '../validation/report/stat-lines.ts';
import { testsToRun } from '../validation/tests-to-run.ts';
import type { benchmarkOptions } from './benchmark-command.ts';
import type { CliCall } from './cli-command.ts';
import { librariesPath } from './libraries-path.ts';
import { printed } from './printed.ts';
import { readTestConfig } from './read-test-config.ts';
import { wholeNumber } from './whole-number.ts';

/** `haptic benchmark` */
export async function benchmark({ values, signal, out }: CliCall<typeof benchmarkOptions>): Promise<number> {
  const iterations = wholeNumber(values.iterations, '--iterations', 1, 10_000);
  const { config } = await readTestConfig({
    libraries: values.libraries ?? librariesPath(import.meta.url),
    files: values.file,
    libraryTests: values['library-tests'] || values.file.length === 0,
  });
  const tests = testsToRun(config.validationTests, values.test.length === 0 ? undefined : values.test).filter(
    ({ name }) => name !== globalTest,
  );
  if (tests.length === 0)
    throw new CodedError('HAPTIC_ERR_VALIDATION_UNKNOWN_TEST', 'there is no validation test to measure');
  const results: TestBenchmark[] = [];
  for (const { name, test } of tests) {
    signal.throwIfAborted();
    results.push(
      benchmarkTest({
        config,
        name,
        test,
        iterations,
        profile: values['profile-includes'],
        now: () => performance.now(),
      }),
    );
    // A signal is heard between two tests.
    await new Promise((resolve) => setImmediate(resolve));
  }
  out(printed(values.output, { iterations, tests: results }, () => table(results)));
  return 0;
}

const columns = ['objects', 'compile ms', 'render ms', 'change ms', 'bytes'];

function table(results: readonly TestBenchmark[]): string {
  const names = results.flatMap(({ testName, files }) => [testName, ...files.map(({ path }) => `  ${path}`)]);
  const width = Math.max(...names.map((name) => name.length));
  const row = (name: string, cells: readonly string[]): string =>
    `${name.padEnd(width)}${cells.map((cell) => cell.padStart(26)).join('')}`.trimEnd();
  const lines = results.flatMap((result) => [
    row(result.testName, [
      String(result.objects),
      timing(result.compileMs),
      timing(result.renderMs),
      result.changeMs === undefined ? '-' : timing(result.changeMs),
      String(result.files.reduce((sum, { bytes }) => sum + bytes, 0)),
    ]),
    ...result.files.map(({ path, bytes }) => row(`  ${path}`, ['', '', '', '', String(bytes)])),
    ...statLines(result.includeStats ?? []),
  ]);
  return `${[row('test', columns), ...lines].join('\n')}\nTimes are median (least … most).\n`;
}

const timing = ({ min, median, max }: Timing): string =>
  `${median.toFixed(2)} (${min.toFixed(2)} … ${max.toFixed(2)})`;
