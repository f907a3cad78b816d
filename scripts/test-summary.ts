import { stripVTControlCharacters } from 'node:util';

/** What vitest's JSON reporter writes, as far as counting needs it. */
export interface VitestReport {
  readonly testResults: readonly {
    /** Absolute path of the spec file. */
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** One run of vitest: its report (absent when the runner died before writing one) and how the process ended. */
export interface VitestRun {
  readonly report: VitestReport | undefined;
  readonly exitCode: number;
  readonly projects: readonly string[];
}

export interface TestSummary {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Tests that failed: file, name and the first line of why. */
  readonly tests: readonly string[];
  /** What failed beside single tests, one sentence each. */
  readonly reasons: readonly string[];
}

/**
 * Counts a whole run: tests, static checks, and everything that would otherwise pass for success. A spec file that could
 * not be loaded, a project without a test, a runner that crashed or exited non-zero without a failed test: each counts as
 * one failure. With `strict`, so does a run with skipped tests: what a machine lacks must not look like a pass.
 */
export function summarizeTests(
  run: VitestRun,
  checks: { readonly run: number; readonly failed: readonly string[] },
  strict: boolean,
): TestSummary {
  const files = run.report?.testResults ?? [];
  const statuses = files.flatMap((file) => file.assertionResults.map((test) => test.status));
  const count = (wanted: (status: string) => boolean) => statuses.filter(wanted).length;
  const passedTests = count((status) => status === 'passed');
  const failedTests = count((status) => status === 'failed');
  const skipped = statuses.length - passedTests - failedTests;

  const reasons = [
    ...checks.failed.map((name) => `check failed: ${name}`),
    ...files
      .filter((file) => file.status === 'failed' && !file.assertionResults.some((t) => t.status === 'failed'))
      .map((file) => `spec file failed to run: ${file.name}${file.message ? `: ${file.message}` : ''}`),
    ...(run.report === undefined ? ['the test runner wrote no report'] : []),
    ...(run.report === undefined ? [] : emptyProjects(run.projects, files)),
    ...(strict && skipped > 0 ? [`${skipped} tests were skipped on a machine that must run all`] : []),
  ];
  if (run.exitCode !== 0 && failedTests === 0 && reasons.length === checks.failed.length)
    reasons.push(`the test runner ended with exit code ${run.exitCode}`);
  return {
    passed: passedTests + checks.run - checks.failed.length,
    failed: failedTests + reasons.length,
    skipped,
    tests: files.flatMap((file) =>
      file.assertionResults
        .filter((test) => test.status === 'failed')
        .map((test) => [relative(file.name), test.fullName, ...firstLine(test.failureMessages)].join(': ')),
    ),
    reasons,
  };
}

const relative = (name: string) => name.slice(name.lastIndexOf('/test/') + 1);

function firstLine(messages: readonly string[] | undefined): readonly string[] {
  const [line = ''] = stripVTControlCharacters(messages?.[0] ?? '').split('\n');
  return line === '' ? [] : [line.slice(0, 300)];
}

function emptyProjects(
  projects: readonly string[],
  files: NonNullable<VitestRun['report']>['testResults'],
): readonly string[] {
  const ran = (project: string) =>
    files.some((file) => file.name.includes(`/test/${project}/`) && file.assertionResults.length > 0);
  return projects.filter((project) => !ran(project)).map((project) => `project ${project}: no test ran`);
}

/** The last lines of a run: what failed, what was skipped, and always `N passed, N failed` at the end. */
export function closingLines(summary: TestSummary): readonly string[] {
  return [
    ...[...summary.tests, ...summary.reasons].map((what) => `FAILED ${what}`),
    ...(summary.skipped > 0 ? [`${summary.skipped} skipped`] : []),
    `${summary.passed} passed, ${summary.failed} failed`,
  ];
}
