import { describe, expect, it } from 'vitest';
import { configErrorText } from '../../../src/config/config-error.ts';
import { resolveConfig } from '../../../src/config/resolve-config.ts';

/** The entry of a library, as the errors of a configuration that refers to it name it. */
function errorsOf(name: string, entry: object, more: object = {}): readonly string[] {
  const watched = { apiVersion: 'v1', resources: 'widgets', ...entry };
  const resolved = resolveConfig({
    name: 'web',
    spec: { libraryRefs: [{ name: 'lib', revision: '1' }], haproxyConfig: { template: 'global\n' }, ...more },
    libraries: [{ name: 'lib', revision: '1', spec: { watchedResources: { [name]: watched } } }],
  });
  return resolved.ok ? [] : resolved.errors.map(configErrorText);
}

const at = 'library lib: spec.watchedResources.w.';

describe('what is wrong with a watched resource names the document and the field', () => {
  it.each([
    [{}, []],
    [
      { ignoreFields: ['data', 'metadata.uid'] },
      [`${at}ignoreFields[1] "metadata.uid" cannot be ignored: objects are told apart by it`],
    ],
    [
      { apiVersion: 'apps/V1' },
      [`${at}apiVersion is not a group and version such as networking.k8s.io/v1: "apps/V1"`],
    ],
    [
      { apiVersion: undefined, apiVersions: ['v1', 'a b'] },
      [`${at}apiVersions[1] is not a group and version such as networking.k8s.io/v1: "a b"`],
    ],
    [
      { resources: 'Widgets' },
      [`${at}resources is not the plural name of a kind in lower case, such as ingresses: "Widgets"`],
    ],
    [{ namespaces: ['a', 'B'] }, [`${at}namespaces[1] is no name of a namespace: "B"`]],
    [
      { resources: 'Widgets', namespaces: ['B'], indexBy: ['..x'] },
      [
        expect.stringMatching(/^library lib: spec\.watchedResources\.w\.indexBy\[0\] "\.\.x" is not a path/),
        expect.stringMatching(/^library lib: spec\.watchedResources\.w\.resources is not/),
        `${at}namespaces[0] is no name of a namespace: "B"`,
      ],
    ],
  ])('%j', (entry, errors) => {
    expect(errorsOf('w', entry)).toEqual(errors);
  });

  it.each(['ingresses', 'ingressclasses', 'services', 'endpointslices'])('%s on demand', (name) => {
    expect(errorsOf(name, { store: 'full' })).toEqual([]);
    expect(errorsOf(name, { store: 'on-demand' })).toEqual([
      `library lib: spec.watchedResources.${name}.store cannot be on-demand: routes and backends are made of whole objects; take full`,
    ]);
  });

  it('fields that are ignored of all resources', () => {
    expect(errorsOf('w', {}, { watchedResourcesIgnoreFields: ['metadata'] })).toEqual([
      'HAProxyTemplateConfig web: spec.watchedResourcesIgnoreFields[0] "metadata" cannot be ignored: objects are told apart by it',
    ]);
  });
});
