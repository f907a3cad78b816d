import { describe, expect, test } from 'vitest';
import { closingLines, summarizeTests, type VitestReport } from '../../../scripts/test-summary.ts';

const file = (
  project: string,
  statuses: readonly string[],
  rest: { status?: string; message?: string } = {},
) => ({
  name: `/repo/test/${project}/some.spec.ts`,
  status: statuses.includes('failed') ? 'failed' : 'passed',
  assertionResults: statuses.map((status, i) => ({ status, fullName: `t${i}` })),
  ...rest,
});
const report = (...testResults: VitestReport['testResults'][number][]): VitestReport => ({ testResults });
const checks = { run: 3, failed: [] as string[] };
const summarize = (
  run: Partial<Parameters<typeof summarizeTests>[0]>,
  options: { checks?: { run: number; failed: string[] }; strict?: boolean } = {},
) =>
  summarizeTests(
    { report: report(file('unit', ['passed'])), exitCode: 0, projects: ['unit'], ...run },
    options.checks ?? checks,
    options.strict ?? false,
  );

describe('summarizeTests', () => {
  test('adds tests of all files and the static checks', () => {
    const summary = summarize({
      report: report(file('unit', ['passed', 'passed']), file('marbles', ['passed', 'skipped', 'todo'])),
      projects: ['unit', 'marbles'],
    });
    expect(summary).toStrictEqual({ passed: 6, failed: 0, skipped: 2, tests: [], reasons: [] });
    expect(closingLines(summary)).toStrictEqual(['2 skipped', '6 passed, 0 failed']);
  });

  test('a failed test is one failure, and the exit code it causes is not another', () => {
    const summary = summarize({ report: report(file('unit', ['passed', 'failed'])), exitCode: 1 });
    const tests = ['test/unit/some.spec.ts: t1'];
    expect(summary).toStrictEqual({ passed: 4, failed: 1, skipped: 0, tests, reasons: [] });
    expect(closingLines(summary)).toStrictEqual(['FAILED test/unit/some.spec.ts: t1', '4 passed, 1 failed']);
  });

  test('a failed test is named with the first line of its reason, without colours', () => {
    const [closing] = closingLines(
      summarize({
        report: report({
          name: '/repo/test/unit/a/b.spec.ts',
          status: 'failed',
          assertionResults: [
            {
              status: 'failed',
              fullName: 'some thing',
              failureMessages: ['\u001b[31mno\u001b[39m\n    at x'],
            },
          ],
        }),
        exitCode: 1,
      }),
    );
    expect(closing).toBe('FAILED test/unit/a/b.spec.ts: some thing: no');
  });

  test('a failed check counts as failed and not as passed', () => {
    const summary = summarize({}, { checks: { run: 3, failed: ['lint'] } });
    expect(summary).toStrictEqual({
      passed: 3,
      failed: 1,
      skipped: 0,
      tests: [],
      reasons: ['check failed: lint'],
    });
  });

  test('a spec file that could not be loaded is a failure with its message', () => {
    const summary = summarize({
      report: report(file('unit', ['passed']), file('unit', [], { status: 'failed', message: 'boom' })),
      exitCode: 1,
    });
    expect(summary.failed).toBe(1);
    expect(summary.reasons).toStrictEqual(['spec file failed to run: /repo/test/unit/some.spec.ts: boom']);
  });

  test('a runner that died without a report is a failure', () => {
    const summary = summarize({ report: undefined, exitCode: 139 });
    expect(summary.reasons).toStrictEqual(['the test runner wrote no report']);
    expect(summary.failed).toBe(1);
  });

  test('an exit code that no failed test explains is a failure', () => {
    const summary = summarize({ exitCode: 1 });
    expect(summary.reasons).toStrictEqual(['the test runner ended with exit code 1']);
    expect(summary.failed).toBe(1);
  });

  test('an exit code that no failed test explains is a failure beside a failed check too', () => {
    const summary = summarize({ exitCode: 1 }, { checks: { run: 1, failed: ['types'] } });
    expect(summary.failed).toBe(2);
  });

  test('a project in which no test ran is a failure', () => {
    const summary = summarize({ projects: ['unit', 'haproxy'] });
    expect(summary.reasons).toStrictEqual(['project haproxy: no test ran']);
    expect(summary.failed).toBe(1);
  });

  test('an empty report fails every project asked for', () => {
    expect(summarize({ report: report(), exitCode: 1 }).failed).toBe(1);
  });

  test('skipped tests fail a strict run only', () => {
    const run = { report: report(file('unit', ['passed', 'pending'])) };
    expect(summarize(run).failed).toBe(0);
    const strict = summarize(run, { strict: true });
    expect(strict.failed).toBe(1);
    expect(strict.reasons).toStrictEqual(['1 tests were skipped on a machine that must run all']);
    expect(closingLines(strict)).toStrictEqual([
      'FAILED 1 tests were skipped on a machine that must run all',
      '1 skipped',
      '4 passed, 1 failed',
    ]);
  });
});
