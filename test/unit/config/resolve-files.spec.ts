import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { configErrorText } from '../../../src/config/config-error.ts';
import type { LibraryFile } from '../../../src/config/library-file.ts';
import { resolveFiles, type FileRequest } from '../../../src/config/resolve-files.ts';

const apiVersion = 'haproxy-haptic.org/v1alpha1';
const haproxyConfig = { template: 'global\n' };

function file(name: string, ...documents: readonly unknown[]): LibraryFile {
  return { name, text: documents.map((document) => stringify(document)).join('---\n') };
}

function config(name: string, spec: object, namespace?: string): object {
  return { apiVersion, kind: 'HAProxyTemplateConfig', metadata: { name, namespace }, spec };
}

function library(name: string, revision: string, spec: object): object {
  return { apiVersion, kind: 'HAProxyTemplateLibrary', metadata: { name }, spec: { revision, ...spec } };
}

function snippet(template: string): object {
  return { templateSnippets: { s: { template } } };
}

function errorsOf(request: FileRequest): readonly string[] {
  const resolved = resolveFiles(request);
  return resolved.ok ? [] : resolved.errors.map(configErrorText);
}

function resolved(request: FileRequest) {
  const result = resolveFiles(request);
  if (!result.ok) throw new Error(result.errors.map(configErrorText).join('\n'));
  return result;
}

const shipped = [
  file('/lib/base.yaml', { haproxyConfig, ...snippet('base'), maps: { m: { template: '' } } }),
  file('/lib/ingress.yaml', { files: { f: { template: '' } } }),
];

describe('files with bare fields', () => {
  it('are laid over the shipped libraries as they come', () => {
    const { config, sources } = resolved({
      shipped,
      values: [file('a.yaml', snippet('a')), file('b.yaml', snippet('b'), { logging: { level: 'debug' } })],
    });
    expect(config.templateSnippets['s']?.template).toBe('b');
    expect(config.logging.level).toBe('debug');
    expect(sources.sourceOf('snippet', 's')).toBe('b.yaml/snippet s');
    expect(sources.sourceOf('map', 'm')).toBe('/lib/base.yaml/map m');
  });

  it('may be a library that is not referred to', () => {
    expect(
      resolved({ shipped, values: [file('own.yaml', library('own', '1', snippet('own')))] }).config,
    ).toMatchObject(snippet('own'));
  });

  it('say all that is wrong, also beside a file that cannot be read', () => {
    expect(
      errorsOf({ shipped, values: [{ name: 'a.yaml', text: 'a: [1' }, file('b.yaml', { mapz: 1 })] }),
    ).toStrictEqual([expect.stringMatching(/^a\.yaml: .*at line 1/), 'b.yaml: mapz is no known field']);
  });
});

describe('files with a HAProxyTemplateConfig', () => {
  const own = (name: string, revision: string) => ({ libraryRefs: [{ name, revision }] });

  it('mean what they mean on a cluster: alone where they refer to nothing', () => {
    const { config: result } = resolved({
      shipped,
      values: [file('c.yaml', config('web', { haproxyConfig }))],
    });
    expect(result.maps).toStrictEqual({});
    expect(errorsOf({ shipped, values: [file('c.yaml', config('web', {}))] })).toStrictEqual([
      'HAProxyTemplateConfig web: spec.haproxyConfig is missing',
    ]);
  });

  it('refer to libraries of the files, and to shipped ones in the version of the program', () => {
    const both = { libraryRefs: [...own('base', '1.0').libraryRefs, ...own('house', '7').libraryRefs] };
    const { config: result, sources } = resolved({
      shipped,
      revision: '1.0',
      values: [file('c.yaml', library('house', '7', snippet('house')), config('web', both))],
    });
    expect(result.templateSnippets['s']?.template).toBe('house');
    expect(result.files).toStrictEqual({});
    expect(sources.sourceOf('map', 'm')).toBe('library base/map m');
    expect(sources.sourceOf('snippet', 's')).toBe('library house/snippet s');
  });

  it('do not take a shipped library of another version', () => {
    expect(
      errorsOf({ shipped, revision: '1.0', values: [file('c.yaml', config('web', own('base', '0.9')))] }),
    ).toStrictEqual([
      'HAProxyTemplateConfig web: spec.libraryRefs[0].revision is 0.9, and the HAProxyTemplateLibrary base has revision 1.0',
    ]);
  });

  it('take bare fields of other files on top', () => {
    const { config: result } = resolved({
      values: [
        file('tweak.yaml', snippet('tweaked')),
        file('c.yaml', config('web', { haproxyConfig, ...snippet('own') })),
      ],
    });
    expect(result.templateSnippets['s']?.template).toBe('tweaked');
  });

  it('are refused where two claim one name', () => {
    const values = [
      file('a.yaml', config('web', { haproxyConfig }, 'x')),
      file('b.yaml', config('web', { haproxyConfig }, 'x')),
    ];
    expect(errorsOf({ values })).toStrictEqual([
      'a.yaml, b.yaml: metadata.name is x/web more than once: only one configuration can have the name',
    ]);
    expect(errorsOf({ values, name: 'web' })).toHaveLength(1);
  });

  it('are chosen by name where there are several', () => {
    const values = [
      file('a.yaml', config('web', { haproxyConfig, ...snippet('web') }), config('shop', { haproxyConfig })),
    ];
    expect(errorsOf({ values })).toStrictEqual([
      'a.yaml: metadata.name is web and shop: say which configuration is meant',
    ]);
    expect(resolved({ values, name: 'web' }).config).toMatchObject(snippet('web'));
    expect(errorsOf({ values, name: 'blog' })).toStrictEqual([
      'a.yaml: metadata.name is web, shop: there is no configuration blog',
    ]);
  });

  it('are refused where two libraries claim one name that is referred to', () => {
    const twice = [library('house', '7', {}), library('house', '8', {})];
    expect(errorsOf({ values: [file('a.yaml', ...twice, config('web', own('house', '7')))] })).toStrictEqual([
      'HAProxyTemplateConfig web: spec.libraryRefs[0].name is house, and there are two libraries of this name',
    ]);
  });
});

describe('a file that is none', () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
    .split('')
    .map(
      (name, i) =>
        `${name}: &${name} [${Array(10)
          .fill(`*${'abcdefghi'[i] ?? ''}`)
          .join(',')}]`,
    )
    .join('\n')}\n`;
  it.each<[string, string, string | RegExp]>([
    [
      'another kind',
      stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }),
      'x.yaml: apiVersion is "v1": objects of haproxy-haptic.org/v1alpha1 are expected here',
    ],
    [
      'a kind that is published',
      stringify({ apiVersion, kind: 'HAProxyCfg', metadata: { name: 'x' } }),
      'x.yaml: kind is "HAProxyCfg": HAProxyTemplateConfig or HAProxyTemplateLibrary is expected',
    ],
    [
      'an object without a name',
      stringify({ apiVersion, kind: 'HAProxyTemplateConfig', spec: {} }),
      'x.yaml: metadata.name is missing',
    ],
    [
      'a library without a revision',
      stringify({ apiVersion, kind: 'HAProxyTemplateLibrary', metadata: { name: 'l' }, spec: {} }),
      'x.yaml: spec.revision of HAProxyTemplateLibrary l is missing',
    ],
    ['a list', '- a', 'x.yaml: an object is expected'],
    ['a text', 'global', 'x.yaml: an object is expected'],
    ['a bomb of aliases', bomb, /^x\.yaml: cannot be read: Excessive alias count/],
    ['nested without end', '['.repeat(100_000), /^x\.yaml: /],
    ['a document that does not end', 'a: "x', /^x\.yaml: Missing closing "quote/],
    ['binary', '\u0000\u0001', /^x\.yaml: /],
  ])('%s is refused by name', (_what, text, expected) => {
    const [error = ''] = errorsOf({ shipped, values: [{ name: 'x.yaml', text }] });
    if (typeof expected === 'string') expect(error).toBe(expected);
    else expect(error).toMatch(expected);
    expect(error).not.toContain('\n');
  });

  it('of a megabyte is taken', () => {
    const text = stringify({
      templateSnippets: { big: { template: 'x'.repeat(500_000) }, bigger: { template: 'y'.repeat(520_000) } },
    });
    expect(text.length).toBeGreaterThan(1_000_000);
    expect(errorsOf({ shipped, values: [{ name: 'x.yaml', text }] })).toStrictEqual([]);
  });
});
