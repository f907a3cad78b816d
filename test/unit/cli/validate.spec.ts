import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { benchmarkCommand } from '../../../src/cli/benchmark-command.ts';
import { validateCommand } from '../../../src/cli/validate-command.ts';
import { version } from '../../../src/lib/version.ts';
import type { TestReport } from '../../../src/validation/test-report.ts';
import { callOf } from './values-of.ts';

let folder: string;
const put = (name: string, content: unknown): string => {
  const file = path.join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'haptic-validate-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const contains = (pattern: string) => ({ type: 'contains', target: 'haproxy.cfg', pattern });
const good = { assertions: [contains('maxconn 8000')] };
const bad = { description: 'never', assertions: [contains('maxconn 1$')] };

/** No HAProxy: what these tests look at needs none. */
const validate = (...argv: string[]) =>
  callOf(validateCommand, ['--haproxy', 'there-is-no-such-haproxy', '--workers', '1', ...argv]);
const reportOf = async (...argv: string[]) =>
  JSON.parse((await validate(...argv, '-o', 'json')).out) as TestReport;

describe('haptic validate', () => {
  it('lays a file of values over the libraries, and exits with 0 when all tests pass', async () => {
    const { code, out, err } = await validate('-f', put('good.yaml', { validationTests: { good } }));
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^✓ good \(\d+\.\d\d s\)\n {2}✓ contains haproxy\.cfg\n\n1 test, 1 passed, 0 failed/);
  });

  it('exits with 1 when one fails, and says why', async () => {
    const { code, out } = await validate('-f', put('bad.yaml', { validationTests: { good, bad } }));
    expect(code).toBe(1);
    expect(out).toContain('✗ bad: never');
    expect(out).toContain('"maxconn 1$" does not match');
  });

  it('exits with 1 when there is none', async () => {
    const { code, out, err } = await validate('-f', put('none.yaml', { templatingSettings: {} }));
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('there are no validation tests');
    const file = put('runaway.yaml', {
      templateSnippets: { 'frontends-500-mine': { template: '{{#if true}}{{> frontends-500-mine}}{{/if}}' } },
    });
    expect((await validate('-f', file)).err).toMatch(
      /^haptic validate: .*runaway\.yaml\/snippet frontends-500-mine:1:13: .* snippets call each other more than 32 deep\n/,
    );
  });

  it.each([{}, { validationTests: { good } }])(
    'exits with 1 for a template that cannot work, tests or not',
    async (more) => {
      const templateSnippets = { 'frontends-500-mine': { template: 'x\n  {{qouted 1}}' } };
      const file = put('wrong.yaml', { templateSnippets, ...more });
      const { code, out, err } = await validate('-f', file);
      expect([code, out]).toEqual([1, '']);
      expect(err).toBe(
        `haptic validate: ${file}/snippet frontends-500-mine:2:3: unknown helper "qouted"; did you mean "quoted"?\n`,
      );
    },
  );

  it.each([
    ['json', (text: string) => (JSON.parse(text) as TestReport).totalTests],
    ['yaml', (text: string) => (parse(text) as TestReport).totalTests],
    ['junit', (text: string) => Number(/<testsuite /g[Symbol.match](text)?.length)],
    ['tap', (text: string) => Number(/^1\.\.(\d+)$/m.exec(text)?.[1])],
    ['summary', (text: string) => Number(/^(\d+) tests, /m.exec(text)?.[1])],
  ])('prints its results as %s', async (format, count) => {
    const { out } = await validate('-f', put('two.yaml', { validationTests: { good, bad } }), '-o', format);
    expect(count(out)).toBe(2);
  });

  it('takes a HAProxyTemplateConfig with its libraries', async () => {
    const object = {
      apiVersion: 'haproxy-haptic.org/v1alpha1',
      kind: 'HAProxyTemplateConfig',
      metadata: { name: 'web' },
      spec: {
        podSelector: { matchLabels: { app: 'haproxy' } },
        watchedResources: { services: { apiVersion: 'v1', resources: 'services' } },
        libraryRefs: [{ name: 'base', revision: version }],
        validationTests: { good },
      },
    };
    expect(await reportOf('-f', put('object.yaml', object))).toMatchObject({ totalTests: 1, passedTests: 1 });
  });

  it('lets a later file have the last word', async () => {
    const first = put('first.yaml', { validationTests: { one: good, two: bad } });
    const second = put('second.yaml', { validationTests: { two: good } });
    expect(await reportOf('-f', first, '-f', second)).toMatchObject({ totalTests: 2, passedTests: 2 });
  });

  it('runs the tests that are asked for', async () => {
    const file = put('some.yaml', { validationTests: { a: good, b: bad, c: good } });
    const { tests } = await reportOf('-f', file, '--test', 'c', '--test', 'a');
    expect(tests.map(({ testName }) => testName)).toEqual(['a', 'c']);
  });

  it('refuses a test that is not there, naming those that are', async () => {
    const { code, err } = await validate(
      '-f',
      put('some.yaml', { validationTests: { a: good } }),
      '--test',
      'x',
    );
    expect(code).toBe(1);
    expect(err).toContain('there is no validation test x; there is a');
  });

  it('refuses a configuration that is none, with file and field', async () => {
    const { code, err } = await validate('-f', put('wrong.yaml', { validationTest: {} }));
    expect(code).toBe(1);
    expect(err).toMatch(/wrong\.yaml: validationTest is no known field/);
  });

  it.each([
    [['--workers', '0'], '--workers must be a whole number from 1 to 64, not "0"'],
    [['--workers', 'two'], '--workers must be a whole number'],
    [['--min-coverage', '101'], '--min-coverage must be a whole number from 0 to 100'],
    [['-o', 'xml'], '--output must be text, summary, json, yaml, junit or tap'],
  ])('refuses %j with exit code 2', async (argv, message) => {
    const { code, err } = await validate(...argv);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it('refuses a HAProxy that does not run, unless it is just not on PATH', async () => {
    const broken = put('haproxy', '#!/bin/sh\nexit 3\n');
    chmodSync(broken, 0o755);
    const file = put('good.yaml', { validationTests: { good } });
    for (const name of [broken, path.join(folder, 'nothing')]) {
      const { code, err } = await validate('-f', file, '--haproxy', name);
      expect(code).toBe(1);
      expect(err).toContain(`--haproxy ${name} does not run`);
    }
  });

  it('takes HAProxy from the environment', async () => {
    const options = { env: { HAPTIC_HAPROXY: '/nowhere/haproxy' } };
    const { err } = await callOf(
      validateCommand,
      ['-f', put('good.yaml', { validationTests: { good } })],
      options,
    );
    expect(err).toContain('--haproxy /nowhere/haproxy does not run');
  });

  it('shows what was rendered', async () => {
    const { out } = await validate('-f', put('good.yaml', { validationTests: { good } }), '--dump-rendered');
    expect(out).toContain('    --- haproxy.cfg\n    global\n');
    expect(out).toContain('    --- maps/host.map\n');
  });

  it('writes golden texts, and passes afterwards', async () => {
    const text =
      '# mine\nvalidationTests:\n  golden:\n    assertions:\n      - type: equals\n        target: map:host.map\n        expected: x # y\n';
    const file = put('golden.yaml', text);
    expect((await validate('-f', file)).code).toBe(1);
    const { code, err } = await validate('-f', file, '--update-golden');
    expect(code).toBe(0);
    expect(err).toContain(`updated ${file}: golden, assertions[0]`);
    expect(readFileSync(file, 'utf8')).toBe(text.replace('x # y', '"" # y'));
    expect((await validate('-f', file, '--update-golden')).out).toContain('1 passed');
  });

  it('tells coverage, and fails below what is asked for', async () => {
    const file = put('cover.yaml', {
      templateSnippets: { 'my-100-unused': { template: '# x' } },
      validationTests: { good },
    });
    const { code, out, err } = await validate('-f', file, '--coverage');
    expect([code, err]).toEqual([
      0,
      `warning: ${file}/snippet my-100-unused: no template prints the extension point my-*\n`,
    ]);
    expect(out).toContain('not run: my-100-unused');
    const strict = await validate('-f', file, '--min-coverage', '100');
    expect(strict.code).toBe(1);
    expect(strict.err).toMatch(/tests ran \d+ % of templates and snippets, less than --min-coverage/);
  });
});

describe('haptic benchmark', () => {
  const fixtures = { services: [{ metadata: { namespace: 'web', name: 'a' } }] };
  const benchmark = (...argv: string[]) => callOf(benchmarkCommand, argv);
  const file = () =>
    put('bench.yaml', { validationTests: { _global: { fixtures, ...good }, b: {}, a: good } });

  it('measures every test but _global, in the order of their names', async () => {
    const { code, out } = await benchmark('-f', file(), '--iterations', '3', '-o', 'json');
    const { iterations, tests } = JSON.parse(out) as {
      iterations: number;
      tests: {
        testName: string;
        objects: number;
        renderMs: object;
        changeMs?: object;
        files: { path: string }[];
      }[];
    };
    expect([code, iterations]).toEqual([0, 3]);
    expect(tests.map(({ testName, objects }) => [testName, objects])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    for (const { renderMs, changeMs, files } of tests) {
      expect(Object.keys(renderMs)).toEqual(['min', 'median', 'max']);
      expect(changeMs).toBeDefined();
      expect(files.map(({ path: name }) => name)).toContain('haproxy.cfg');
    }
  });

  it('prints a table, and what templates cost', async () => {
    const { out } = await benchmark('-f', file(), '--test', 'a', '--profile-includes');
    expect(out).toMatch(/^test +objects +compile ms +render ms +change ms +bytes\na +1 /);
    expect(out).toMatch(/ +1 +\d+\.\d{3} +\d+\.\d{3} +\d+\.\d{3} {2}template haproxyConfig\n/);
  });

  it('refuses a test that is not there, and a number that is none', async () => {
    const unknown = await benchmark('-f', file(), '--test', 'x');
    expect([unknown.code, unknown.err]).toEqual([
      1,
      expect.stringContaining('there is no validation test x'),
    ]);
    const wrong = await benchmark('-f', file(), '--iterations', '0');
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringContaining('--iterations must be a whole number'),
    ]);
  });

  it('says that there is nothing to measure', async () => {
    const { code, err } = await benchmark('-f', put('empty.yaml', { validationTests: { _global: good } }));
    expect(code).toBe(1);
    expect(err).toContain('there is no validation test to measure');
  });
});
