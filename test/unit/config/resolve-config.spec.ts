import { describe, expect, it } from 'vitest';
import { configErrorText } from '../../../src/config/config-error.ts';
import type { ConfigRequest } from '../../../src/config/config-request.ts';
import { resolveConfig } from '../../../src/config/resolve-config.ts';
import { badSpecs, goodSpecs } from '../../fixtures/config-specs.ts';

const haproxyConfig = { template: 'global\n' };

function resolve(spec: unknown, request: Partial<ConfigRequest> = {}) {
  return resolveConfig({ name: 'web', spec, libraries: [], ...request });
}

function errorsOf(spec: unknown, request: Partial<ConfigRequest> = {}): readonly string[] {
  const resolved = resolve(spec, request);
  return resolved.ok ? [] : resolved.errors.map(configErrorText);
}

function configOf(spec: unknown, request: Partial<ConfigRequest> = {}) {
  const resolved = resolve(spec, request);
  if (!resolved.ok) throw new Error(resolved.errors.map(configErrorText).join('\n'));
  return resolved;
}

describe('a configuration of objects', () => {
  it.each(goodSpecs)('with $what is taken, and left as it is', ({ spec, libraries = [] }) => {
    const before = structuredClone({ spec, libraries });
    expect(errorsOf(spec, { libraries })).toStrictEqual([]);
    expect({ spec, libraries }).toStrictEqual(before);
  });

  it.each(badSpecs)('with $what is refused by object and field', ({ spec, field, message }) => {
    const resolved = resolve(spec);
    expect(resolved.ok).toBe(false);
    if (resolved.ok) return;
    expect(resolved.errors).toContainEqual({
      source: 'HAProxyTemplateConfig web',
      field: `spec.${field}`,
      message: expect.stringMatching(message) as string,
    });
  });

  it('takes defaults that are written out for those that it would take itself', () => {
    const bare = configOf({ haproxyConfig, controller: { leaderElection: { leaseName: 'x' } } });
    const filled = configOf({
      haproxyConfig,
      controller: bare.config.controller,
      dataplane: bare.config.dataplane,
      podSelector: bare.config.podSelector,
      httpContent: bare.config.httpContent,
      libraryRefs: [],
      validators: [],
      logging: { level: '' },
    });
    expect(filled.config).toStrictEqual(bare.config);
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'global'],
    ['a list', []],
    ['null', null],
  ])('of %s is refused', (_what, spec) => {
    expect(errorsOf(spec)).toStrictEqual(['HAProxyTemplateConfig web: spec must be an object']);
  });

  it('is told in words of bounded length, whatever stands in it', () => {
    const long = 'x'.repeat(100_000);
    const texts = [
      ...errorsOf({ libraryRefs: [{ name: long, revision: '1' }] }),
      ...errorsOf({ [long]: 1 }),
      ...errorsOf({ validators: [1, 2].map(() => ({ name: long, socketPath: '/v.sock' })) }),
    ];
    expect(texts.length).toBeGreaterThan(2);
    expect(Math.max(...texts.map(({ length }) => length))).toBe(2_000);
  });

  it('says everything at once', () => {
    expect(
      errorsOf({ mapz: {}, dataplane: { port: 0, portt: 1 }, templateSnippets: { a: {} } }),
    ).toHaveLength(3);
  });

  it('of a megabyte of snippets is taken', () => {
    const templateSnippets = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`s-${i}`, { template: 'x'.repeat(10_000) }]),
    );
    expect(Object.keys(configOf({ haproxyConfig, templateSnippets }).config.templateSnippets)).toHaveLength(
      100,
    );
  });

  it('that is nested without end is refused, not walked', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 200_000; i += 1) deep = [deep];
    expect(errorsOf({ haproxyConfig, templatingSettings: { extraContext: { deep } } })).toStrictEqual([
      'HAProxyTemplateConfig web: spec is nested more than 100 deep',
    ]);
  });

  it('keeps a name such as __proto__ or constructor a name', () => {
    const spec = JSON.parse(
      '{"haproxyConfig":{"template":"x"},"templateSnippets":{"__proto__":{"template":"a"},"constructor":{"template":"b"}}}',
    ) as unknown;
    const { config, sources } = configOf(spec);
    expect(Object.keys(config.templateSnippets)).toStrictEqual(['__proto__', 'constructor']);
    expect(sources.sourceOf('snippet', '__proto__')).toBe('spec.templateSnippets.__proto__');
    expect(sources.sourceOf('snippet', 'toString')).toBe('templateSnippets.toString');
  });
});

describe('what schemas cannot say', () => {
  const watched = (entry: object) => ({
    haproxyConfig,
    watchedResources: { w: { apiVersion: 'v1', resources: 'widgets', ...entry } },
  });
  it.each([
    [
      'an index path',
      watched({ indexBy: ['metadata.name', 'a[?(@.b)]'] }),
      /spec\.watchedResources\.w\.indexBy\[1\] "a\[\?\(@\.b\)\]" is not a path/,
    ],
    [
      'a path to ignore',
      watched({ ignoreFields: ['..a'] }),
      /spec\.watchedResources\.w\.ignoreFields\[0\] "\.\.a" is not a path/,
    ],
    [
      'a path to ignore everywhere',
      { haproxyConfig, watchedResourcesIgnoreFields: ['..a'] },
      /spec\.watchedResourcesIgnoreFields\[0\] "\.\.a" is not a path/,
    ],
    [
      'a label selector',
      watched({ labelSelector: 'a in (b' }),
      /spec\.watchedResources\.w\.labelSelector "a in \(b" is not a label selector/,
    ],
    [
      'a namespace selector',
      watched({ namespaceSelector: '=b' }),
      /spec\.watchedResources\.w\.namespaceSelector "=b" is not a label selector/,
    ],
    [
      'a field selector',
      watched({ fieldSelector: 'spec.x' }),
      /spec\.watchedResources\.w\.fieldSelector "spec\.x" is not a field selector/,
    ],
    [
      'the size of a cache that is none',
      watched({ cacheSize: 3 }),
      /spec\.watchedResources\.w\.cacheSize has a meaning with store on-demand only/,
    ],
    [
      'the age of a cache that is none',
      watched({ store: 'full', cacheTTL: '1m' }),
      /spec\.watchedResources\.w\.cacheTTL has a meaning with store on-demand only/,
    ],
    [
      'a name of our own',
      { haproxyConfig, watchedResources: { 'haproxy-pods': { apiVersion: 'v1', resources: 'pods' } } },
      /spec\.watchedResources\.haproxy-pods is a name of the controller itself/,
    ],
    [
      'a file outside of its folder',
      { haproxyConfig, files: { '../passwd': { template: 'x' } } },
      /spec\.files\.\.\.\/passwd is no name of a file/,
    ],
    [
      'a hidden file',
      { haproxyConfig, maps: { '.map': { template: 'x' } } },
      /spec\.maps\.\.map is no name of a file/,
    ],
    [
      'one file twice',
      { haproxyConfig, sslCertificates: { a: { template: 'x' } }, crtLists: { a: { template: 'x' } } },
      /spec\.crtLists\.a is the same file as sslCertificates\.a/,
    ],
    [
      'a pattern',
      {
        haproxyConfig: {
          ...haproxyConfig,
          postProcessing: [{ type: 'regex_replace', params: { pattern: '(a', replace: '' } }],
        },
      },
      /spec\.haproxyConfig\.postProcessing\[0\]\.params\.pattern "\(a" is not a regular expression/,
    ],
    [
      'a field of a list that is only created',
      {
        haproxyConfig,
        k8sResources: { a: { template: 'x', createOnlyFields: ['data', 'spec.ports[0].port'] } },
      },
      /spec\.k8sResources\.a\.createOnlyFields\[1\] "spec\.ports\[0\]\.port" leads into a list/,
    ],
    [
      'a field that is only created',
      { haproxyConfig, k8sResources: { a: { template: 'x', createOnlyFields: ['['] } } },
      /spec\.k8sResources\.a\.createOnlyFields\[0\] "\[" is not a path/,
    ],
  ])('%s is refused where it stands', (_what, spec, expected) => {
    const errors = errorsOf(spec);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(expected);
  });

  it('may be the same name in folders that are not the same', () => {
    expect(
      errorsOf({ haproxyConfig, maps: { a: { template: '' } }, files: { a: { template: '' } } }),
    ).toStrictEqual([]);
  });
});

describe('libraries', () => {
  const library = (name: string, spec: object, revision = '1') => ({ name, revision, spec });
  const refs = (...names: string[]) => names.map((name) => ({ name, revision: '1' }));
  const base = library('base', {
    haproxyConfig,
    templateSnippets: { a: { template: 'base a' }, b: { template: 'base b' } },
    watchedResources: {
      w: { apiVersion: 'v1', resources: 'widgets', namespaces: ['x'], debounceInterval: '0' },
    },
    templatingSettings: { extraContext: { from: 'base', deep: { kept: 1, list: [1] } } },
    maps: { m: { template: 'base', ordered: false } },
  });
  const upper = library('upper', {
    templateSnippets: { a: { template: 'upper a', overrides: true } },
    templatingSettings: { extraContext: { from: 'upper', deep: { list: [2] } } },
  });

  it('are laid over each other in the order of the references, the object last', () => {
    const spec = (order: readonly string[]) => ({
      libraryRefs: refs(...order),
      templateSnippets: { b: { template: 'own b' } },
    });
    const { config } = configOf(spec(['base', 'upper']), { libraries: [upper, base] });
    expect(config.templateSnippets).toMatchObject({ a: { template: 'upper a' }, b: { template: 'own b' } });
    expect(config.templatingSettings.extraContext).toStrictEqual({
      from: 'upper',
      deep: { kept: 1, list: [2] },
    });
  });

  it('say what a field is where the object does not, also where the field has a default', () => {
    const { config } = configOf(
      {
        libraryRefs: refs('base'),
        watchedResources: { w: { labelSelector: 'a=b' } },
        maps: { m: { template: 'own' } },
      },
      { libraries: [base] },
    );
    expect(config.watchedResources['w']).toMatchObject({ debounceInterval: '0', labelSelector: 'a=b' });
    expect(config.maps['m']).toMatchObject({ template: 'own', ordered: false });
  });

  it('give way in a choice of two: what is above decides which', () => {
    const above = { apiVersions: ['v2', 'v1'], namespaceSelector: 'team=web' };
    const { config } = configOf(
      { libraryRefs: refs('base'), watchedResources: { w: above } },
      { libraries: [base] },
    );
    expect(config.watchedResources['w']).toMatchObject(above);
    expect(config.watchedResources['w']).not.toHaveProperty('apiVersion');
    expect(config.watchedResources['w']).not.toHaveProperty('namespaces');
  });

  it('that no object names may be those of the program', () => {
    const shipped = [library('base', { haproxyConfig: { template: 'shipped' } })];
    expect(configOf({ libraryRefs: refs('base') }, { shipped }).config.haproxyConfig.template).toBe(
      'shipped',
    );
    expect(
      configOf({ libraryRefs: refs('base') }, { shipped, libraries: [base] }).config.haproxyConfig.template,
    ).toBe('global\n');
  });

  it('that are there and not referred to count for nothing, whatever is in them', () => {
    expect(errorsOf({ haproxyConfig }, { libraries: [library('broken', { mapz: 1 })] })).toStrictEqual([]);
  });

  it('that are not there are named, with those that are', () => {
    expect(
      errorsOf({ libraryRefs: refs('base', 'bse') }, { libraries: [base], shipped: [upper] }),
    ).toStrictEqual([
      'HAProxyTemplateConfig web: spec.libraryRefs[1].name is bse, and there is no HAProxyTemplateLibrary bse; there are base, upper',
    ]);
  });

  it('in another revision are not taken', () => {
    expect(
      errorsOf(
        { libraryRefs: [{ name: 'base', revision: '2' }] },
        { libraries: [base], shipped: [library('base', {}, '2')] },
      ),
    ).toStrictEqual([
      'HAProxyTemplateConfig web: spec.libraryRefs[0].revision is 2, and the HAProxyTemplateLibrary base has revision 1',
    ]);
  });

  it('are not taken twice', () => {
    expect(
      errorsOf({ haproxyConfig, libraryRefs: refs('base', 'base') }, { libraries: [base] }),
    ).toStrictEqual(['HAProxyTemplateConfig web: spec.libraryRefs[1].name is base, as of another before it']);
    expect(errorsOf({ libraryRefs: refs('base') }, { libraries: [base, base] })).toStrictEqual([
      'HAProxyTemplateConfig web: spec.libraryRefs[0].name is base, and there are two libraries of this name',
    ]);
  });

  it('that are missing make no field wrong that has nothing behind it', () => {
    expect(errorsOf({ libraryRefs: refs('gone'), maps: null })).toHaveLength(1);
  });

  it('that are missing do not hide what the object has wrong', () => {
    expect(
      errorsOf({
        libraryRefs: refs('gone'),
        mapz: 1,
        templateSnippets: { a: { template: 'x', overrides: true } },
      }),
    ).toStrictEqual([
      'HAProxyTemplateConfig web: spec.libraryRefs[0].name is gone, and there is no HAProxyTemplateLibrary gone',
      'HAProxyTemplateConfig web: spec.mapz is no known field',
    ]);
  });

  it('have to be right themselves, and are blamed for what they say', () => {
    const wrong = library('wrong', { watchedResources: { w: { store: 'cached' } }, mapz: 1 });
    expect(errorsOf({ libraryRefs: refs('base', 'wrong') }, { libraries: [base, wrong] })).toStrictEqual([
      'library wrong: spec.watchedResources.w.store must be one of full, on-demand',
      'library wrong: spec.mapz is no known field',
    ]);
  });

  it('cannot say what belongs to a configuration', () => {
    const wrong = library('wrong', { haproxyConfig, dataplane: { port: 1 }, libraryRefs: [] });
    expect(errorsOf({ libraryRefs: refs('wrong') }, { libraries: [wrong] })).toStrictEqual([
      'library wrong: spec.dataplane belongs to a HAProxyTemplateConfig: a library cannot have it',
      'library wrong: spec.libraryRefs belongs to a HAProxyTemplateConfig: a library cannot have it',
    ]);
  });

  it('are blamed for what only shows in the whole', () => {
    const half = library('half', { haproxyConfig, watchedResources: { w: { apiVersion: 'v1' } } });
    expect(errorsOf({ libraryRefs: refs('half') }, { libraries: [half] })).toStrictEqual([
      'library half: spec.watchedResources.w.resources is missing',
    ]);
    const paths = library('paths', { watchedResources: { w: { indexBy: ['..'] } } });
    const errors = errorsOf({ libraryRefs: refs('base', 'paths') }, { libraries: [base, paths] });
    expect(errors).toStrictEqual([
      expect.stringMatching(/^library paths: spec\.watchedResources\.w\.indexBy\[0\]/),
    ]);
  });

  it('must have the snippet that another one says it replaces', () => {
    const snippet = { template: 'x', overrides: true };
    expect(
      errorsOf({ libraryRefs: refs('base'), templateSnippets: { c: snippet } }, { libraries: [base] }),
    ).toStrictEqual([
      'HAProxyTemplateConfig web: spec.templateSnippets.c.overrides is true, but no library before has a snippet c',
    ]);
    expect(errorsOf({ libraryRefs: refs('upper', 'base') }, { libraries: [base, upper] })).toStrictEqual([
      'library upper: spec.templateSnippets.a.overrides is true, but no library before has a snippet a',
    ]);
  });

  it('are named where a template is wrong', () => {
    const { sources } = configOf(
      {
        libraryRefs: refs('base', 'upper'),
        templateSnippets: { b: { template: 'own' } },
        files: { f: { template: '' } },
      },
      { libraries: [base, upper] },
    );
    expect(sources.sourceOf('snippet', 'a')).toBe('library upper/snippet a');
    expect(sources.sourceOf('snippet', 'b')).toBe('spec.templateSnippets.b');
    expect(sources.sourceOf('config', 'haproxyConfig')).toBe('library base/haproxyConfig');
    expect(sources.sourceOf('map', 'm')).toBe('library base/map m');
    expect(sources.sourceOf('resource', 'w')).toBe('library base/resource w');
    expect(sources.sourceOfTemplate('a')).toBe('library upper/snippet a');
    expect(sources.sourceOfTemplate('haproxyConfig')).toBe('library base/haproxyConfig');
    expect(sources.sourceOfTemplate('maps/m')).toBe('library base/map m');
    expect(sources.sourceOfTemplate('files/f')).toBe('spec.files.f');
    expect(sources.sourceOfTemplate('nowhere')).toBe('templateSnippets.nowhere');
  });
});
