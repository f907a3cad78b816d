import { describe, expect, it } from 'vitest';
import { watchKey, watchSpecOf, type WatchDefaults } from '../../../src/streams/watch-spec.ts';

type Resource = Parameters<typeof watchSpecOf>[1];

const pods: Resource = { apiVersion: 'v1', resources: 'pods' };
const spec = (resource: Partial<Resource>, defaults?: WatchDefaults) =>
  watchSpecOf('web', { ...pods, ...resource }, defaults);
const key = (resource: Partial<Resource>, defaults?: WatchDefaults) => watchKey(spec(resource, defaults));

describe('watchSpecOf', () => {
  it('fills in the defaults', () => {
    expect(spec({})).toMatchObject({
      name: 'web',
      apiVersions: ['v1'],
      resources: 'pods',
      labelSelector: '',
      namespaces: undefined,
      namespaceSelector: undefined,
      ignoreFields: [],
      debounceMs: 100,
      store: { kind: 'full' },
    });
    expect(spec({}).fields.matches({})).toBe(true);
  });

  it('keeps objects on demand for 2.2 times as long as pods are left without a look', () => {
    const ttl = (driftPreventionInterval: string) =>
      spec({ store: 'on-demand' }, { dataplane: { driftPreventionInterval } }).store;
    expect(spec({ store: 'on-demand' }).store).toMatchObject({ cacheSize: 256, cacheTtlMs: 132_000 });
    expect(ttl('10s')).toMatchObject({ cacheTtlMs: 22_000 });
    expect(ttl('0')).toMatchObject({ cacheTtlMs: 132_000 });
    expect(spec({ store: 'on-demand', cacheTTL: '5m', cacheSize: 9 }).store).toMatchObject({
      cacheSize: 9,
      cacheTtlMs: 300_000,
    });
  });

  it.each([
    [{ labelSelector: 'a in' }, 'watchedResources.web.labelSelector', 'HAPTIC_ERR_CONFIG_LABEL_SELECTOR'],
    [
      { namespaceSelector: '=' },
      'watchedResources.web.namespaceSelector',
      'HAPTIC_ERR_CONFIG_LABEL_SELECTOR',
    ],
    [{ fieldSelector: 'x' }, 'watchedResources.web.fieldSelector', 'HAPTIC_ERR_CONFIG_FIELD_SELECTOR'],
    [{ debounceInterval: '1' }, 'watchedResources.web.debounceInterval', 'HAPTIC_ERR_CONFIG_DURATION'],
    [
      { store: 'on-demand' as const, cacheTTL: 'x' },
      'watchedResources.web.cacheTTL',
      'HAPTIC_ERR_CONFIG_DURATION',
    ],
    [
      { ignoreFields: ['metadata.uid'] },
      'watchedResources.web.ignoreFields',
      'HAPTIC_ERR_CONFIG_IGNORE_FIELD',
    ],
    [{ indexBy: ['a..b'] }, 'a..b', 'HAPTIC_ERR_TEMPLATE_JSONPATH'],
    [{ apiVersion: 'Networking/v1' }, 'watchedResources.web.apiVersion', 'HAPTIC_ERR_CONFIG_INVALID'],
    [{ apiVersions: ['v1', 'a/b/v1'] }, 'watchedResources.web.apiVersions', 'HAPTIC_ERR_CONFIG_INVALID'],
    [{ apiVersion: '../v1' }, 'watchedResources.web.apiVersion', 'HAPTIC_ERR_CONFIG_INVALID'],
    [{ resources: 'Ingress' }, 'watchedResources.web.resources', 'HAPTIC_ERR_CONFIG_INVALID'],
    [{ resources: 'pods/log' }, 'watchedResources.web.resources', 'HAPTIC_ERR_CONFIG_INVALID'],
    [{ namespaces: ['..'] }, 'watchedResources.web.namespaces', 'HAPTIC_ERR_CONFIG_INVALID'],
    [
      { namespaces: Array.from({ length: 65 }, (_, i) => `n${i}`) },
      'watchedResources.web.namespaces names 65 namespaces',
      'HAPTIC_ERR_CONFIG_INVALID',
    ],
    [
      { namespaces: ['a'], namespaceSelector: 'b' },
      'watchedResources.web.namespaceSelector',
      'HAPTIC_ERR_CONFIG_INVALID',
    ],
  ])('refuses %j and names the field', (resource, field, code) => {
    expect(() => spec(resource)).toThrow(field);
    expect(() => spec(resource)).toThrow(expect.objectContaining({ code }));
  });

  it('refuses an entry without a version', () => {
    expect(() => watchSpecOf('web', { resources: 'pods' })).toThrow('watchedResources.web.apiVersion');
  });
});

describe('watchKey', () => {
  it('is the same for entries that watch and store the same', () => {
    expect(key({ labelSelector: 'b=1, a==2' })).toBe(key({ labelSelector: 'a=2,b=1' }));
    expect(key({ fieldSelector: 'b=1 , a==2' })).toBe(key({ fieldSelector: 'a=2,b=1' }));
    expect(key({ namespaces: ['y', 'x', 'x'] })).toBe(key({ namespaces: ['x', 'y'] }));
    expect(key({ debounceInterval: '100ms' })).toBe(key({}));
    expect(key({ apiVersions: ['v1'] })).toBe(key({}));
    expect(key({ ignoreFields: ['status', 'spec'] })).toBe(
      key({ ignoreFields: ['spec'] }, { watchedResourcesIgnoreFields: ['status'] }),
    );
    expect(key({ indexBy: ['metadata.name'] })).toBe(key({}));
    expect(key({ optional: true, enableValidationWebhook: true })).toBe(key({}));
    expect(key({}, { dataplane: { driftPreventionInterval: '5s' } })).toBe(key({}));
  });

  it.each<[Partial<Resource>]>([
    [{ apiVersions: ['v1', 'v2'] }],
    [{ resources: 'services' }],
    [{ labelSelector: 'a' }],
    [{ fieldSelector: 'spec.nodeName=x' }],
    [{ namespaces: ['x'] }],
    [{ namespaceSelector: 'x' }],
    [{ namespaceSelector: '' }],
    [{ ignoreFields: ['status'] }],
    [{ debounceInterval: '0' }],
    [{ store: 'on-demand' }],
  ])('differs when %j does', (resource) => {
    expect(key(resource)).not.toBe(key({}));
  });

  it('differs for stores on demand when references, cache size or time to live do', () => {
    const onDemand = { store: 'on-demand' as const };
    const plain = key(onDemand);
    expect(key({ ...onDemand, indexBy: ['metadata.name'] })).not.toBe(plain);
    expect(key({ ...onDemand, cacheSize: 1 })).not.toBe(plain);
    expect(key({ ...onDemand, cacheTTL: '1s' })).not.toBe(plain);
    expect(key(onDemand, { dataplane: { driftPreventionInterval: '5s' } })).not.toBe(plain);
  });

  it('differs between entries of two names, which have a store each', () => {
    expect(watchKey(watchSpecOf('other', pods))).not.toBe(key({}));
  });
});
