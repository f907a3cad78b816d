import { describe, expect, it } from 'vitest';
import type { TemplateConfig } from '../../../src/api/template-config.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { runValidationTests, type ValidationOptions } from '../../../src/validation/run-validation-tests.ts';
import type { TestResult } from '../../../src/validation/test-report.ts';

/** A page for each widget, and a map of their colours. */
const spec = {
  watchedResources: { widgets: { apiVersion: 'example.com/v1', resources: 'widgets' } },
  templatingSettings: { extraContext: { maxconn: 100, title: 'hello' } },
  haproxyConfig: {
    template: [
      'global',
      '    maxconn {{extraContext.maxconn}}',
      '{{#if capabilities.dynamicBackends}}',
      '    # 3.4',
      '{{/if}}',
      '{{#forEach resources.widgets as |w|}}',
      '    # {{w.metadata.name}} {{w.spec.color}}',
      '{{mapEntry "maps/color.map" (mapKey w.metadata.name) (mapValue w.spec.color)}}',
      '{{#if w.spec.old}}{{warn "is old" field="spec.old" reason="OldWidget"}}{{/if}}',
      '{{/forEach}}',
      '',
    ].join('\n'),
  },
  files: { 'page.txt': { template: '{{extraContext.title}}\n' } },
};

const widget = (name: string, color: unknown = 'red', rest: object = {}) => ({
  metadata: { namespace: 'web', name },
  spec: { color, ...rest },
});

function configOf(validationTests: unknown, more: object = {}): TemplateConfig {
  return loadConfig([{ name: 'test', text: JSON.stringify({ ...spec, ...more, validationTests }) }]);
}

async function run(validationTests: unknown, options: Partial<ValidationOptions> = {}) {
  return runValidationTests({ config: configOf(validationTests), workers: 0, ...options });
}

async function resultOf(test: unknown, options: Partial<ValidationOptions> = {}): Promise<TestResult> {
  const { tests } = await run({ it: test }, options);
  return tests[0]!;
}

const containing = (text: string): unknown => expect.stringContaining(text);
const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const contains = (target: string, pattern: string) => ({ type: 'contains', target, pattern });

describe('a test', () => {
  it('renders its objects and judges its assertions in their order', async () => {
    const result = await resultOf({
      description: 'colours',
      fixtures: { widgets: [widget('b'), widget('a', 'blue')] },
      assertions: [
        { type: 'equals', target: 'map:color.map', expected: 'a blue\nb red\n', description: 'sorted' },
        { type: 'match_order', target: 'haproxy.cfg', patterns: ['# a blue', '# b red'] },
        { type: 'jsonpath', jsonpath: '{.resources.widgets[0].metadata.name}', expected: 'a' },
        { type: 'deterministic' },
        contains('haproxy.cfg', '# c'),
      ],
    });
    expect(result).toMatchObject({ testName: 'it', description: 'colours', passed: false });
    expect(result.renderError).toBeUndefined();
    expect(result.assertions).toMatchObject([
      { type: 'equals', description: 'sorted', passed: true, target: 'map:color.map', targetSize: 13 },
      { type: 'match_order', passed: true },
      { type: 'jsonpath', passed: true },
      { type: 'deterministic', passed: true },
      {
        type: 'contains',
        passed: false,
        error: '"# c" does not match',
        targetPreview: containing('global'),
      },
    ]);
  });

  it('without assertions says whether the render succeeds', async () => {
    expect(await resultOf({ fixtures: { widgets: [widget('a')] } })).toMatchObject({
      passed: true,
      assertions: [],
    });
  });

  it('lays its extraContext over that of the configuration, key by key', async () => {
    const result = await resultOf({
      extraContext: { maxconn: 7 },
      assertions: [
        contains('haproxy.cfg', 'maxconn 7\\n'),
        contains('file:page.txt', '^hello\\n$'),
        { type: 'jsonpath', jsonpath: 'extraContext.maxconn', expected: '7' },
      ],
    });
    expect(result.passed).toBe(true);
  });

  it('sees the capabilities of the version that it names, and those that it replaces', async () => {
    const { tests } = await run({
      new: { haproxyVersion: '3.4', assertions: [contains('haproxy.cfg', '# 3.4')] },
      old: {
        haproxyVersion: '3.2',
        assertions: [{ ...contains('haproxy.cfg', '# 3.4'), type: 'not_contains' }],
      },
      own: {
        haproxyVersion: '3.2',
        capabilities: { dynamicBackends: true },
        assertions: [contains('haproxy.cfg', '# 3.4')],
      },
    });
    expect(tests.map(({ testName, passed }) => [testName, passed])).toEqual([
      ['new', true],
      ['old', true],
      ['own', true],
    ]);
  });

  it('holds all that was rendered, where that is asked for', async () => {
    const result = await resultOf({ fixtures: { widgets: [widget('a')] } }, { keepRendered: true });
    expect(Object.keys(result.rendered ?? {}).sort()).toEqual([
      'general/page.txt',
      'haproxy.cfg',
      'maps/color.map',
    ]);
    expect(result.rendered?.['maps/color.map']).toBe('a red\n');
  });

  it('says which objects selectors leave out', async () => {
    const watchedResources = { widgets: { ...spec.watchedResources.widgets, labelSelector: 'a=b' } };
    const config = configOf({ it: { fixtures: { widgets: [widget('a')] } } }, { watchedResources });
    const { tests } = await runValidationTests({ config, workers: 0 });
    expect(tests[0]).toMatchObject({ passed: true, notes: [containing('web/a is left out')] });
  });
});

describe('an error of an object', () => {
  const refused = { fixtures: { widgets: [widget('bad', 'dark red'), widget('good')] } };

  it('fails the test, if no assertion looks for it', async () => {
    const result = await resultOf({ ...refused, assertions: [contains('haproxy.cfg', '# good')] });
    expect(result.passed).toBe(false);
    expect(result.renderError).toMatch(
      /^error TemplateFailed, Widget web\/bad, spec\.color: .*not a bare word/,
    );
    expect(result.assertions).toMatchObject([{ passed: true }]);
  });

  it.each(['rendering_error', 'problems'])('may be expected as %s', async (target) => {
    const result = await resultOf({
      ...refused,
      assertions: [
        contains(target, '^error TemplateFailed, Widget web/bad'),
        contains('map:color.map', '^good'),
      ],
    });
    expect(result).toMatchObject({ passed: true });
  });

  it('is no warning: that fails nothing, and stands among the problems only', async () => {
    const fixtures = { widgets: [widget('a', 'red', { old: true })] };
    const result = await resultOf({
      fixtures,
      assertions: [
        {
          type: 'equals',
          target: 'problems',
          expected: 'warning OldWidget, Widget web/a, spec.old: is old\n',
        },
      ],
    });
    expect(result).toMatchObject({ passed: true });
    expect(await resultOf({ fixtures })).toMatchObject({ passed: true });
  });
});

describe('a render that fails as a whole', () => {
  const broken = { haproxyConfig: { template: 'global\n    maxconn {{extraContext.nothing}}\n' } };
  const tests = (assertions: readonly unknown[]) => configOf({ it: { assertions } }, broken);

  it('fails the test with template, line and column', async () => {
    const { tests: results } = await runValidationTests({
      config: tests([{ type: 'deterministic' }, contains('map:color.map', 'x')]),
      workers: 0,
    });
    expect(results[0]).toMatchObject({
      passed: false,
      renderError: containing('haproxyConfig:2:'),
    });
    expect(results[0]?.assertions).toMatchObject([
      { passed: false, error: containing('the render failed: ') },
      { passed: false, error: containing('was not rendered') },
    ]);
  });

  it('may be expected', async () => {
    const config = tests([contains('rendering_error', '^haproxyConfig:2:15: .*"nothing"')]);
    const { tests: results } = await runValidationTests({ config, workers: 0 });
    expect(results[0]).toMatchObject({ passed: true });
  });
});

describe('what an assertion looks at', () => {
  const fixtures = { widgets: [widget('a')] };
  it.each([
    ['haproxy.cfg', undefined],
    ['map:color.map', undefined],
    ['map:maps/color.map', undefined],
    ['file:page.txt', undefined],
    ['file:general/page.txt', undefined],
    ['problems', undefined],
    ['rendering_error', undefined],
    ['map:other.map', 'target map:other.map was not rendered; there is maps/color.map'],
    ['map:page.txt', 'target map:page.txt was not rendered; there is maps/color.map'],
    ['file:color.map', 'target file:color.map was not rendered; there is general/page.txt'],
    ['cert:a.pem', 'target cert:a.pem was not rendered; nothing of the kind was'],
    ['crt-list:a.txt', 'target crt-list:a.txt was not rendered; nothing of the kind was'],
    ['haproxy', /^target "haproxy" is none; write haproxy\.cfg, map:<name>/],
    ['map:', /^target "map:" is none/],
    ['Map:color.map', /^target "Map:color\.map" is none/],
  ])('%s', async (target, error) => {
    const { assertions } = await resultOf({ fixtures, assertions: [{ ...contains(target, '^'), target }] });
    if (error === undefined) expect(assertions).toMatchObject([{ passed: true }]);
    else
      expect(assertions).toMatchObject([
        { passed: false, error: typeof error === 'string' ? error : matching(error) },
      ]);
  });

  it.each([
    ['{.resources.widgets[0].spec.color}', 'red', undefined],
    ['resources.widgets[*].metadata.name', 'a', undefined],
    ['capabilities.guid', 'true', undefined],
    ['dataplane.mapsDir', '/etc/haproxy/maps', undefined],
    ["files['maps/color.map']", 'a red\n', undefined],
    ['resources.widgets[0].spec', '{"color":"red"}', undefined],
    ['resources.widgets[1]', 'x', 'resources.widgets[1] selects nothing'],
    ['extraContext.maxconn', '99', 'extraContext.maxconn is "100", not "99"'],
    ['a..b', 'x', /^assertions\[0\]\.jsonpath: /],
  ])('the path %s', async (jsonpath, expected, error) => {
    const { assertions } = await resultOf({
      fixtures,
      assertions: [{ type: 'jsonpath', jsonpath, expected }],
    });
    if (error === undefined) expect(assertions).toMatchObject([{ passed: true }]);
    else
      expect(assertions).toMatchObject([
        { passed: false, error: typeof error === 'string' ? error : matching(error) },
      ]);
  });
});

describe('what a render declares besides files', () => {
  const declaring = {
    k8sResources: {
      notes: {
        template: [
          '{{#forEach resources.widgets as |w|}}',
          'apiVersion: v1',
          'kind: ConfigMap',
          'metadata: { name: note, namespace: web }',
          'data:',
          '  color: {{json w.spec.color}}',
          '{{/forEach}}',
          '',
        ].join('\n'),
      },
    },
    haproxyConfig: {
      template: [
        'global',
        '{{#forEach resources.widgets as |w|}}',
        '{{statusPatch w rendered=(object phase="Accepted")}}',
        '{{recordEvent w "Seen" "it was seen" type="Normal"}}',
        '{{/forEach}}',
        '',
      ].join('\n'),
    },
  };

  it.each([
    ['k8sResources[0].data.color', 'red'],
    ['statusPatches[0].target.name', 'a'],
    ['statusPatches[0].rendered.phase', 'Accepted'],
    ['events[0].reason', 'Seen'],
    ['events[0].about.namespace', 'web'],
  ])('is below %s', async (jsonpath, expected) => {
    const test = {
      fixtures: { widgets: [widget('a')] },
      assertions: [{ type: 'jsonpath', jsonpath, expected }],
    };
    const { tests } = await runValidationTests({ config: configOf({ it: test }, declaring), workers: 0 });
    expect(tests[0]?.assertions).toEqual([{ type: 'jsonpath', description: '', passed: true }]);
  });
});

describe('without a HAProxy', () => {
  it.each([{ type: 'haproxy_valid' }, { type: 'traffic', request: { host: 'a' }, expect: { status: 200 } }])(
    '$type fails and says what to do',
    async (assertion) => {
      expect(await resultOf({ assertions: [assertion] })).toMatchObject({
        passed: false,
        assertions: [{ passed: false, error: containing('--haproxy') }],
      });
    },
  );

  it('a test that is for a newer one than the one at hand is skipped as far as it needs it', async () => {
    const haproxy = { path: '/nowhere/haproxy', version: '2.6.12' };
    const result = await resultOf(
      { haproxyVersion: '3.4', assertions: [{ type: 'haproxy_valid' }, contains('haproxy.cfg', '# 3.4')] },
      { haproxy },
    );
    expect(result).toMatchObject({
      passed: true,
      assertions: [
        { passed: true, skipped: 'the test is for HAProxy 3.4, and the one at hand is 2.6.12' },
        { passed: true },
      ],
    });
  });

  it('a HAProxy that does not run fails the assertion', async () => {
    const haproxy = { path: '/nowhere/haproxy', version: '3.4.7' };
    const assertions = [
      { type: 'haproxy_valid' },
      { type: 'traffic', request: { host: 'a' }, expect: { status: 200 } },
    ];
    const config = configOf(
      { it: { assertions } },
      { haproxyConfig: { template: 'frontend a\n    bind :80\n' } },
    );
    const { tests } = await runValidationTests({ config, workers: 0, haproxy });
    expect(tests[0]).toMatchObject({
      passed: false,
      assertions: [
        { passed: false, error: containing('ENOENT') },
        { passed: false, error: containing('HAProxy did not start') },
      ],
    });
  });
});

describe('HTTP resources', () => {
  const withHttp = (validationTests: unknown) =>
    configOf(validationTests, {
      haproxyConfig: {
        template:
          'global\n{{#forEach resources.widgets as |w|}}\n    # {{http "https://lists.example.com/deny"}}\n{{/forEach}}\n',
      },
    });

  it('are what templates read, and nothing else is fetched', async () => {
    const fixtures = { widgets: [widget('a')] };
    const config = withHttp({
      given: {
        fixtures,
        httpResources: [{ url: 'https://lists.example.com/deny', content: 'from-the-test' }],
        assertions: [contains('haproxy.cfg', '# from-the-test')],
      },
      missing: {
        fixtures,
        httpResources: [{ url: 'https://lists.example.com/other', content: 'x' }],
        assertions: [contains('rendering_error', 'Widget web/a')],
      },
    });
    const { tests } = await runValidationTests({ config, workers: 0 });
    expect(tests.map(({ testName, passed }) => [testName, passed])).toEqual([
      ['given', true],
      ['missing', true],
    ]);
  });

  it('need a URL', async () => {
    expect(await resultOf({ httpResources: [{ url: 'nowhere', content: '' }] })).toMatchObject({
      passed: false,
      renderError: 'httpResources[0].url is no absolute URL: "nowhere"',
    });
  });
});

describe('tests of a configuration', () => {
  const failing = { assertions: [contains('haproxy.cfg', 'never')] };

  it('come in the order of their names, and are counted', async () => {
    const report = await run({ b: failing, a: {}, c: {} });
    expect(report).toMatchObject({ totalTests: 3, passedTests: 2, failedTests: 1 });
    expect(report.tests.map(({ testName }) => testName)).toEqual(['a', 'b', 'c']);
  });

  it('may be none', async () => {
    expect(await run({})).toMatchObject({ totalTests: 0, tests: [] });
  });

  it('may be chosen', async () => {
    const { tests } = await run({ a: {}, b: {}, c: {} }, { only: ['c', 'a', 'c'] });
    expect(tests.map(({ testName }) => testName)).toEqual(['a', 'c']);
  });

  it('that do not exist are refused, with those that do', async () => {
    await expect(run({ a: {}, b: {} }, { only: ['a', 'x'] })).rejects.toMatchObject({
      code: 'HAPTIC_ERR_VALIDATION_UNKNOWN_TEST',
      message: 'there is no validation test x; there is a, b',
    });
  });

  it('share what _global has, which is a test if it has assertions', async () => {
    const fixtures = { widgets: [widget('shared')] };
    const own = { assertions: [contains('map:color.map', '^shared red\\n$')] };
    const lent = await run({ _global: { fixtures }, own });
    expect(lent.tests).toMatchObject([{ testName: 'own', passed: true }]);
    const both = await run({ _global: { fixtures, ...own }, other: {} });
    expect(both.tests.map(({ testName }) => testName)).toEqual(['_global', 'other']);
  });

  it('with a fixture that is none fail with the field, and the others are run', async () => {
    const report = await run({ bad: { fixtures: { gadgets: [] } }, good: {} });
    expect(report.tests).toMatchObject([
      {
        testName: 'bad',
        passed: false,
        renderError: 'fixtures.gadgets is no watched resource; there is widgets, haproxy-pods',
      },
      { testName: 'good', passed: true },
    ]);
  });
});

describe('coverage', () => {
  const more = {
    templateSnippets: {
      'extra-100-used': { template: '# used\n' },
      'extra-200-unused': { template: '# unused\n' },
    },
    haproxyConfig: {
      template: 'global\n{{#forEach resources.widgets as |w|}}\n{{> extra-100-used}}\n{{/forEach}}\n',
    },
  };
  const coverageWith = async (widgets: readonly unknown[]) => {
    const config = configOf({ it: { fixtures: { widgets } } }, more);
    return runValidationTests({ config, workers: 0, coverage: true });
  };

  it('is what the tests ran of templates and snippets', async () => {
    const { coverage, tests } = await coverageWith([widget('a')]);
    expect(coverage).toEqual({ total: 4, covered: 3, uncovered: ['extra-200-unused'] });
    expect(tests[0]).not.toHaveProperty('includeStats');
  });

  it('has no snippet that no object came to', async () => {
    const { coverage } = await coverageWith([]);
    expect(coverage?.uncovered).toEqual(['extra-100-used', 'extra-200-unused']);
  });

  it('has nothing of a render that failed', async () => {
    const config = configOf({}, more);
    expect((await runValidationTests({ config, workers: 0, coverage: true })).coverage).toMatchObject({
      covered: 0,
    });
  });

  it('comes with counts and times, where these are asked for', async () => {
    const config = configOf({ it: { fixtures: { widgets: [widget('a'), widget('b')] } } }, more);
    const { tests, coverage } = await runValidationTests({ config, workers: 0, profile: true });
    expect(coverage).toBeUndefined();
    const found = tests[0]?.includeStats?.find(({ name }) => name === 'extra-100-used');
    expect(found).toMatchObject({ kind: 'snippet', count: 2 });
  });
});

describe('HAProxy pods of a test', () => {
  it('are what controller.haproxyPods has', async () => {
    const config = configOf(
      {
        it: {
          fixtures: {
            'haproxy-pods': [{ metadata: { namespace: 'lb', name: 'p0' }, status: { podIP: '10.0.0.9' } }],
          },
          assertions: [
            contains('haproxy.cfg', '# p0 10\\.0\\.0\\.9'),
            { type: 'jsonpath', jsonpath: 'controller.haproxyPods[0].address', expected: '10.0.0.9' },
          ],
        },
      },
      {
        haproxyConfig: {
          template:
            'global\n{{#forEach controller.haproxyPods as |p|}}\n    # {{p.name}} {{p.address}}\n{{/forEach}}\n',
        },
      },
    );
    const { tests } = await runValidationTests({ config, workers: 0 });
    expect(tests).toMatchObject([{ passed: true }]);
  });
});

it('a former haproxy.cfg has no effect, and a note says so', async () => {
  expect(await resultOf({ currentConfig: 'global\n' })).toMatchObject({
    passed: true,
    notes: [containing('currentConfig has no effect')],
  });
});

describe('tests in threads', () => {
  it('come to the same, however many there are', async () => {
    const tests = Object.fromEntries(
      Array.from({ length: 6 }, (_, index) => [
        `test-${index}`,
        {
          fixtures: { widgets: [widget(`w${index}`), widget('bad', index % 2 === 0 ? 'a b' : 'red')] },
          assertions: [contains('map:color.map', `^bad|^w${index}`), { type: 'deterministic' }],
        },
      ]),
    );
    const bare = (report: Awaited<ReturnType<typeof run>>) =>
      report.tests.map(({ duration: _duration, ...test }) => test);
    const inline = bare(await run(tests));
    expect(inline.map(({ passed }) => passed)).toEqual([false, true, false, true, false, true]);
    expect(bare(await run(tests, { workers: 1 }))).toEqual(inline);
    expect(bare(await run(tests, { workers: 3 }))).toEqual(inline);
  });

  it('that do not end in time are broken off, and say so', async () => {
    const report = await run({ a: {}, b: {} }, { workers: 1, timeoutMs: 1 });
    expect(report).toMatchObject({ totalTests: 2, failedTests: 2 });
    for (const test of report.tests)
      expect(test).toMatchObject({
        passed: false,
        renderError: 'the test was broken off: it did not end within 0.001 s',
      });
  });

  it('whose templates run away are ended by the limits of a render', async () => {
    const nested = '{{#each extraContext.many as |a|}}'.repeat(5) + 'x' + '{{/each}}'.repeat(5);
    const config = configOf(
      { it: { assertions: [contains('rendering_error', 'loops of more than')] } },
      {
        haproxyConfig: { template: `global\n${nested}\n` },
        templatingSettings: { extraContext: { title: 'x', many: Array.from({ length: 100 }, (_, i) => i) } },
      },
    );
    const { tests } = await runValidationTests({ config, workers: 1 });
    expect(tests[0]).toMatchObject({ passed: true });
  });

  it('end when they are aborted', async () => {
    const controller = new AbortController();
    const running = run({ a: {}, b: {} }, { workers: 2, signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });
});
