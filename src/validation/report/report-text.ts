import type { AssertionResult, TestReport, TestResult } from '../test-report.ts';
import { statLines } from './stat-lines.ts';

/** For people: a line for each test and assertion, what failed below it, and a sum. `verbose` shows the start of what failed. */
export function reportText(report: TestReport, { verbose = false } = {}): string {
  const lines = report.tests.flatMap((test) => linesOfTest(test, verbose));
  const { totalTests, passedTests, failedTests, duration, coverage } = report;
  lines.push(
    '',
    `${totalTests} ${totalTests === 1 ? 'test' : 'tests'}, ${passedTests} passed, ${failedTests} failed (${duration.toFixed(2)} s)`,
  );
  if (coverage !== undefined) {
    lines.push(`${coverage.covered} of ${coverage.total} templates and snippets were run`);
    for (const name of coverage.uncovered) lines.push(`  not run: ${name}`);
  }
  return `${lines.join('\n')}\n`;
}

function linesOfTest(test: TestResult, verbose: boolean): string[] {
  const about = test.description === '' ? '' : `: ${test.description}`;
  return [
    `${mark(test.passed)} ${test.testName}${about} (${test.duration.toFixed(2)} s)`,
    ...(test.renderError === undefined ? [] : indented(test.renderError, 4)),
    ...test.assertions.flatMap((assertion) => linesOfAssertion(assertion, verbose)),
    ...(verbose || !test.passed ? (test.notes ?? []).map((note) => `    note: ${note}`) : []),
    ...statLines(test.includeStats ?? []),
    ...Object.entries(test.rendered ?? {}).flatMap(([path, text]) => [
      `    --- ${path}`,
      ...indented(text, 4),
    ]),
  ];
}

function linesOfAssertion(assertion: AssertionResult, verbose: boolean): string[] {
  const { passed, skipped, error, target, targetSize, targetPreview } = assertion;
  const sign = skipped === undefined ? mark(passed) : '-';
  const lines = [
    `  ${sign} ${assertionTitle(assertion)}${skipped === undefined ? '' : ` (skipped: ${skipped})`}`,
  ];
  if (error !== undefined) lines.push(...indented(error, 6));
  if (verbose && error !== undefined && targetPreview !== undefined)
    lines.push(
      `      ${target ?? ''} (${targetSize ?? 0} characters) begins with`,
      ...indented(targetPreview, 8),
    );
  return lines;
}

/** What an assertion is called where people read: its description, else what it does. */
export function assertionTitle({ type, description, target }: AssertionResult): string {
  if (description !== '') return `${type}: ${description}`;
  return target === undefined ? type : `${type} ${target}`;
}

const mark = (passed: boolean): string => (passed ? '✓' : '✗');

function indented(text: string, by: number): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `${' '.repeat(by)}${line}`);
}
