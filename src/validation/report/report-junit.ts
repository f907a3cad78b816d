import type { TestReport, TestResult } from '../test-report.ts';
import { assertionTitle } from './report-text.ts';

/**
 * JUnit's XML as CI systems read it: a `testsuite` for each test of the configuration, with a `testcase` for its render and one for each
 * assertion.
 */
export function reportJunit(report: TestReport): string {
  const suites = report.tests.map((test) => ({ test, cases: casesOf(test) }));
  const all = suites.flatMap(({ cases }) => cases);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'haptic validate', ...counts(all), time: report.duration })}>`,
    ...suites.flatMap(({ test, cases }) => [
      `  <testsuite${attributes({ name: test.testName, ...counts(cases), time: test.duration })}>`,
      ...cases.flatMap((one) => caseLines(test, one)),
      '  </testsuite>',
    ]),
    '</testsuites>',
  ];
  return `${lines.join('\n')}\n`;
}

interface JunitCase {
  readonly name: string;
  readonly failure?: string;
  readonly skipped?: string;
}

function casesOf({ description, renderError, assertions }: TestResult): readonly JunitCase[] {
  return [
    {
      name: description === '' ? 'renders' : `renders: ${description}`,
      ...(renderError === undefined ? {} : { failure: renderError }),
    },
    ...assertions.map((assertion, index) => ({
      name: `${index + 1}. ${assertionTitle(assertion)}`,
      ...(assertion.error === undefined ? {} : { failure: assertion.error }),
      ...(assertion.skipped === undefined ? {} : { skipped: assertion.skipped }),
    })),
  ];
}

function counts(cases: readonly JunitCase[]): Readonly<Record<string, number>> {
  return {
    tests: cases.length,
    failures: cases.filter(({ failure }) => failure !== undefined).length,
    errors: 0,
    skipped: cases.filter(({ skipped }) => skipped !== undefined).length,
  };
}

function caseLines({ testName, duration }: TestResult, { name, failure, skipped }: JunitCase): string[] {
  // The render is what takes time; no assertion is measured by itself.
  const time = name.startsWith('renders') ? duration : 0;
  const start = `    <testcase${attributes({ classname: testName, name, time })}`;
  if (failure !== undefined)
    return [
      `${start}>`,
      `      <failure${attributes({ message: failure.split('\n')[0] ?? '' })}>${escaped(failure)}</failure>`,
      '    </testcase>',
    ];
  if (skipped !== undefined)
    return [`${start}>`, `      <skipped${attributes({ message: skipped })}/>`, '    </testcase>'];
  return [`${start}/>`];
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(
      ([name, value]) => ` ${name}="${escaped(typeof value === 'number' ? numberText(name, value) : value)}"`,
    )
    .join('');
}

const numberText = (name: string, value: number): string =>
  name === 'time' ? value.toFixed(3) : String(value);

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

/** XML 1.0 knows no other control characters than tab, line feed and carriage return, not even escaped. */
function escaped(text: string): string {
  return (
    text
      // eslint-disable-next-line no-control-regex -- the point of it
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replace(/[&<>"\n]/g, (character) => entities[character] ?? character)
  );
}
