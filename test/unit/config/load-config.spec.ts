import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LibraryFile } from '../../../src/config/library-file.ts';
import { loadConfig } from '../../../src/config/load-config.ts';

const root: LibraryFile = { name: 'root.yaml', text: 'haproxyConfig: {template: "global\\n"}' };
const file = (text: string, name = 'x.yaml'): LibraryFile => ({ name, text });

const entryDefaults = {
  optional: false,
  store: 'full',
  enableValidationWebhook: false,
  indexBy: ['metadata.namespace', 'metadata.name'],
  debounceInterval: '100ms',
};

function errorsOf(...files: readonly LibraryFile[]): string[] {
  try {
    loadConfig(files);
    return [];
  } catch (error) {
    expect(error).toMatchObject({ code: 'HAPTIC_ERR_CONFIG_INVALID' });
    return (error as Error).message.split('\n');
  }
}

describe('a configuration from libraries', () => {
  it('has every default', () => {
    expect(loadConfig([root])).toStrictEqual({
      controller: {
        certificateGracePeriod: '1m',
        externalNames: {
          enabled: true,
          allowedNames: [],
          allowedNetworks: [],
          clusterDomain: 'cluster.local',
        },
        policyBounds: { profiles: 100, matches: 20 },
        snippetAnnotations: false,
        leaderElection: {
          enabled: true,
          leaseName: 'haptic-leader',
          leaseDuration: '15s',
          renewDeadline: '10s',
          retryPeriod: '2s',
        },
        publishAddresses: [],
        configPublishing: { enabled: true, compressionThreshold: 1_048_576 },
      },
      logging: { level: '' },
      podSelector: {
        matchLabels: { 'app.kubernetes.io/name': 'haptic', 'app.kubernetes.io/component': 'haproxy' },
      },
      dataplane: {
        port: 5555,
        mapsDir: '/etc/haproxy/maps',
        sslCertsDir: '/etc/haproxy/ssl',
        generalStorageDir: '/etc/haproxy/general',
        configFile: '/etc/haproxy/haproxy.cfg',
        driftPreventionInterval: '60s',
        syncTimeout: '2m',
        deploymentTimeout: '30s',
        minDeploymentInterval: '2s',
        reloadVerificationTimeout: '60s',
        configPublishInterval: '10s',
      },
      watchedResourcesIgnoreFields: [
        'metadata.managedFields',
        "metadata.annotations['kubectl.kubernetes.io/last-applied-configuration']",
      ],
      libraryRefs: [],
      sslCertificates: {},
      crtLists: {},
      k8sResources: {},
      httpContent: {
        allowPrivateAddresses: false,
        allowedHosts: [],
        maxBytes: 10_485_760,
        maxTotalBytes: 134_217_728,
        maxEntries: 1000,
      },
      validationTests: {},
      templatingSettings: { engine: 'handlebars', extraContext: {} },
      watchedResources: {},
      templateSnippets: {},
      haproxyConfig: { template: 'global\n' },
      maps: {},
      files: {},
      validators: [],
    });
  });

  it('is merged by name, the later file wins, lists and texts are replaced', () => {
    const config = loadConfig([
      root,
      file(`
templatingSettings: { extraContext: { a: 1, deep: { x: 1, y: [1, 2] } } }
templateSnippets: { one: { template: first }, two: { template: kept } }
watchedResources: { w: { apiVersion: v1, resources: widgets, indexBy: [a, b] } }`),
      file(`
templatingSettings: { extraContext: { b: 2, deep: { y: [3] } } }
templateSnippets: { one: { template: second } }
watchedResources: { w: { indexBy: [c], apiVersion: v2, resources: widgets } }`),
    ]);
    expect(config.templatingSettings.extraContext).toStrictEqual({ a: 1, b: 2, deep: { x: 1, y: [3] } });
    expect(config.templateSnippets).toStrictEqual({
      one: { template: 'second', overrides: false },
      two: { template: 'kept', overrides: false },
    });
    expect(config.watchedResources).toStrictEqual({
      w: { ...entryDefaults, apiVersion: 'v2', resources: 'widgets', indexBy: ['c'] },
    });
  });

  it('may change one field of what an earlier library has', () => {
    const config = loadConfig([
      root,
      file('watchedResources: { w: { apiVersion: v1, resources: widgets } }'),
      file('watchedResources: { w: { debounceInterval: "0" } }'),
    ]);
    expect(config.watchedResources['w']).toStrictEqual({
      ...entryDefaults,
      apiVersion: 'v1',
      resources: 'widgets',
      debounceInterval: '0',
    });
  });

  it('takes an empty file for nothing', () => {
    expect(loadConfig([root, file(''), file('# only a comment\n')])).toStrictEqual(loadConfig([root]));
  });

  it('keeps a name such as __proto__ a name', () => {
    const config = loadConfig([root, file('templateSnippets: { __proto__: { template: x } }')]);
    expect(Object.keys(config.templateSnippets)).toStrictEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['template']).toBeUndefined();
  });

  it.each([
    ['an unknown field', 'mapz: {}', 'x.yaml: mapz is no known field'],
    [
      'an unknown field deep down',
      'maps: { a.map: { template: x, orderd: true } }',
      'x.yaml: maps.a.map.orderd is no known field',
    ],
    ['a wrong type', 'maps: { a: { template: 5 } }', 'x.yaml: maps.a.template must be string'],
    [
      'an unknown engine',
      'templatingSettings: { engine: jinja }',
      'x.yaml: templatingSettings.engine must be one of handlebars',
    ],
    ['a port out of range', 'dataplane: { port: 70000 }', 'x.yaml: dataplane.port must be <= 65535'],
    [
      'a duration that is none',
      'dataplane: { syncTimeout: 5 minutes }',
      'x.yaml: dataplane.syncTimeout must be a duration such as "100ms", "1m30s" or "0"',
    ],
    [
      'an empty index',
      'watchedResources: { w: { apiVersion: v1, resources: x, indexBy: [] } }',
      /^x.yaml: watchedResources.w.indexBy must NOT have fewer than 1 items/,
    ],
    ['a list', '- a', 'x.yaml: an object is expected'],
    ['broken YAML', 'a: [1', /^x.yaml: .*at line 1, column \d+$/],
    ['a key twice', 'maps: {}\nmaps: {}', /^x.yaml: Map keys must be unique at line 2, column 1$/],
  ])('%s is refused with file and field', (_what, text, expected) => {
    const [error, ...more] = errorsOf(root, file(text));
    expect(more).toStrictEqual([]);
    if (typeof expected === 'string') expect(error).toBe(expected);
    else expect(error).toMatch(expected);
  });

  it('names what all files together lack', () => {
    expect(
      errorsOf(file('maps: {}', 'a.yaml'), file('watchedResources: { w: { apiVersion: v1 } }', 'b.yaml')),
    ).toStrictEqual([
      'a.yaml, b.yaml: haproxyConfig is missing',
      'b.yaml: watchedResources.w.resources is missing',
    ]);
  });

  it('says everything at once', () => {
    expect(errorsOf(root, file('a: 1', 'a.yaml'), file('b: 1\nc: 1', 'b.yaml'))).toStrictEqual([
      'a.yaml: a is no known field',
      'b.yaml: b is no known field',
      'b.yaml: c is no known field',
    ]);
  });

  it('refuses an index path that cannot be evaluated', () => {
    const text =
      'watchedResources: { w: { apiVersion: v1, resources: x, indexBy: [metadata.name, "a[?(@.b)]"] } }';
    expect(errorsOf(root, file(text))).toStrictEqual([
      expect.stringMatching(
        /^x\.yaml: watchedResources\.w\.indexBy\[1\] "a\[\?\(@\.b\)\]" is not a path/,
      ) as string,
    ]);
  });

  it('loads the shipped libraries', () => {
    const libraries = ['base', 'ingress'].map((name) => ({
      name: `${name}.yaml`,
      text: readFileSync(
        path.resolve(import.meta.dirname, `../../../charts/haptic/libraries/${name}.yaml`),
        'utf8',
      ),
    }));
    expect(Object.keys(loadConfig(libraries).watchedResources)).toContain('ingresses');
  });

  it('gives validators their defaults, and refuses two of one name', () => {
    const validator = { name: 'waf', socketPath: '/run/waf.sock' };
    const withValidators = (...validators: object[]) =>
      loadConfig([root, { name: 'values.yaml', text: JSON.stringify({ validators }) }]);
    expect(withValidators(validator).validators).toEqual([
      { ...validator, files: ['haproxy.cfg'], dataFiles: [], timeoutMs: 5000, maxConnections: 4 },
    ]);
    expect(() => withValidators(validator, validator)).toThrow(
      'values.yaml: validators[1].name is waf, as of another before it',
    );
    expect(() => withValidators({ name: 'waf', socketPath: 'waf.sock' })).toThrow(
      'validators[0].socketPath must be an absolute path',
    );
  });
});
