import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { reportJunit } from '../../../src/validation/report/report-junit.ts';
import { reportTap } from '../../../src/validation/report/report-tap.ts';
import { reportText } from '../../../src/validation/report/report-text.ts';
import type { TestReport } from '../../../src/validation/test-report.ts';

const report: TestReport = {
  totalTests: 3,
  passedTests: 2,
  failedTests: 1,
  duration: 1.5,
  tests: [
    {
      testName: 'good',
      description: '',
      passed: true,
      duration: 0.25,
      assertions: [
        { type: 'contains', description: '', target: 'haproxy.cfg', passed: true, targetSize: 10 },
        { type: 'haproxy_valid', description: '', passed: true, skipped: 'too old' },
      ],
    },
    { testName: 'empty', description: 'renders at all', passed: true, duration: 0.1, assertions: [] },
    {
      testName: 'bad',
      description: 'a <b> & "c" # d',
      passed: false,
      duration: 1.125,
      renderError: 'error X: first\nerror Y: second',
      notes: ['fixtures.a[0]: x is left out'],
      assertions: [
        {
          type: 'equals',
          description: 'the map',
          target: 'map:a.map',
          passed: false,
          error: 'differs\n-a\u0007\n+b',
          targetSize: 2,
          targetPreview: 'b\n',
        },
      ],
    },
  ],
};

describe('as text', () => {
  it('has a line for each test and assertion, what failed below it, and a sum', () => {
    expect(reportText(report).split('\n')).toEqual([
      '✓ good (0.25 s)',
      '  ✓ contains haproxy.cfg',
      '  - haproxy_valid (skipped: too old)',
      '✓ empty: renders at all (0.10 s)',
      '✗ bad: a <b> & "c" # d (1.13 s)',
      '    error X: first',
      '    error Y: second',
      '  ✗ equals: the map',
      '      differs',
      '      -a\u0007',
      '      +b',
      '    note: fixtures.a[0]: x is left out',
      '',
      '3 tests, 2 passed, 1 failed (1.50 s)',
      '',
    ]);
  });

  it('shows on demand what an assertion that failed looked at', () => {
    expect(reportText(report, { verbose: true })).toContain(
      '      map:a.map (2 characters) begins with\n        b\n',
    );
  });

  it('shows what was rendered, if the report has it', () => {
    const [test] = report.tests;
    const rendered = { ...report, tests: [{ ...test!, rendered: { 'haproxy.cfg': 'global\n  x\n' } }] };
    expect(reportText(rendered)).toContain('    --- haproxy.cfg\n    global\n      x\n');
  });
});

describe('as JUnit', () => {
  const xml = reportJunit(report);

  it('counts renders and assertions as cases', () => {
    expect(xml).toContain(
      '<testsuites name="haptic validate" tests="6" failures="2" errors="0" skipped="1" time="1.500">',
    );
    expect(xml).toContain(
      '<testsuite name="good" tests="3" failures="0" errors="0" skipped="1" time="0.250">',
    );
    expect(xml).toContain('<testcase classname="good" name="1. contains haproxy.cfg" time="0.000"/>');
    expect(xml).toContain('<skipped message="too old"/>');
  });

  it('escapes what XML reads as something else, and knows no control characters', () => {
    expect(xml).toContain('name="renders: a &lt;b&gt; &amp; &quot;c&quot; # d"');
    expect(xml).toContain('<failure message="error X: first">error X: first&#10;error Y: second</failure>');
    expect(xml).toContain('<failure message="differs">differs&#10;-a\ufffd&#10;+b</failure>');
  });

  it('closes every element that it opens', () => {
    const open: string[] = [];
    for (const [, close, name, rest] of xml.matchAll(/<(\/?)([a-z]+)((?:[^>"]|"[^"]*")*)>/g)) {
      if (close === '/') expect(open.pop()).toBe(name);
      else if (rest?.endsWith('/') !== true) open.push(name!);
    }
    expect(open).toEqual([]);
  });
});

describe('as TAP', () => {
  const lines = reportTap(report).split('\n');

  it('has a point for each test, with its assertions as a subtest', () => {
    expect(
      lines.filter((line) => !/^ *(---|\.\.\.|message| {2})/.test(line) || line.startsWith('    ok')),
    ).toEqual([
      'TAP version 14',
      '1..3',
      '    ok 1 - contains haproxy.cfg',
      '    ok 2 - haproxy_valid # SKIP too old',
      'ok 1 - good',
      'ok 2 - empty: renders at all',
      'not ok 3 - bad: a <b> & "c" \\# d',
      '',
    ]);
  });

  it('says in YAML what failed', () => {
    const start = lines.indexOf('not ok 3 - bad: a <b> & "c" \\# d') + 1;
    const block = lines.slice(start + 1, lines.indexOf('  ...', start)).join('\n');
    expect(parseDocument(block).toJS()).toEqual({ message: 'error X: first\nerror Y: second' });
  });

  it('announces as many points as it has', () => {
    const plans = lines.filter((line) => line.trim().startsWith('1..'));
    expect(plans).toEqual(['1..3', '    1..2', '    1..1']);
  });
});
