import type { AssertionResult, TestReport, TestResult } from '../test-report.ts';
import { assertionTitle } from './report-text.ts';
import { toYaml } from '../../lib/to-yaml.ts';

/** The Test Anything Protocol, version 14: a test point for each test, with its assertions as a subtest. */
export function reportTap({ tests }: TestReport): string {
  const lines = ['TAP version 14', `1..${tests.length}`];
  tests.forEach((test, index) => {
    lines.push(...subtest(test).map((line) => (line === '' ? '' : `    ${line}`)));
    lines.push(`${status(test.passed)} ${index + 1} - ${title(test)}`);
    if (test.renderError !== undefined) lines.push(...diagnostic(test.renderError));
  });
  return `${lines.join('\n')}\n`;
}

function subtest(test: TestResult): string[] {
  if (test.assertions.length === 0) return [];
  return [
    `# Subtest: ${title(test)}`,
    `1..${test.assertions.length}`,
    ...test.assertions.flatMap((assertion, index) => point(assertion, index + 1)),
  ];
}

function point(assertion: AssertionResult, number: number): string[] {
  const { passed, skipped, error } = assertion;
  const directive = skipped === undefined ? '' : ` # SKIP ${oneLine(skipped)}`;
  const line = `${status(passed)} ${number} - ${escaped(assertionTitle(assertion))}${directive}`;
  return error === undefined ? [line] : [line, ...diagnostic(error)];
}

function title({ testName, description }: TestResult): string {
  return escaped(description === '' ? testName : `${testName}: ${description}`);
}

const status = (passed: boolean): string => (passed ? 'ok' : 'not ok');
const oneLine = (text: string): string => text.replaceAll('\n', ' ');
/** A `#` would begin a directive. */
const escaped = (text: string): string => oneLine(text).replace(/[\\#]/g, '\\$&');

function diagnostic(message: string): string[] {
  return ['---', ...toYaml({ message }).trimEnd().split('\n'), '...'].map((line) =>
    line === '' ? '' : `  ${line}`,
  );
}
