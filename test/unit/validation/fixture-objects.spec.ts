import { describe, expect, it } from 'vitest';
import type { WatchedResource } from '../../../src/api/template-config.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { fixtureObjects } from '../../../src/validation/fixture-objects.ts';

type Watched = Readonly<Record<string, Partial<WatchedResource> & { readonly resources: string }>>;

function configOf(watchedResources: Watched) {
  const spec = { haproxyConfig: { template: 'global\n' }, watchedResources };
  return loadConfig([{ name: 'test', text: JSON.stringify(spec) }]);
}

const services = { services: { apiVersion: 'v1', resources: 'services' } };
const named = (name: string, rest: object = {}) => ({ metadata: { namespace: 'web', name, ...rest } });

function keysOf(watched: Watched, fixtures: Readonly<Record<string, readonly unknown[]>>, name: string) {
  return [...(fixtureObjects(configOf(watched), fixtures).objects.get(name)?.keys() ?? [])];
}

function errorOf(watched: Watched, fixtures: Readonly<Record<string, readonly unknown[]>>): string {
  try {
    fixtureObjects(configOf(watched), fixtures);
  } catch (error) {
    expect(error).toMatchObject({ code: 'HAPTIC_ERR_VALIDATION_FIXTURE' });
    return (error as Error).message;
  }
  throw new Error('it was taken');
}

describe('objects of a test', () => {
  it('get the apiVersion and kind of their resource where they have none', () => {
    const watched = { slices: { apiVersion: 'discovery.k8s.io/v1', resources: 'endpointslices' } };
    const { objects } = fixtureObjects(configOf(watched), { slices: [named('a')] });
    expect(objects.get('slices')?.get('web/a')).toEqual({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { namespace: 'web', name: 'a' },
    });
  });

  it('get the preferred apiVersion of a resource with several', () => {
    const watched = { w: { apiVersions: ['example.com/v2', 'example.com/v1'], resources: 'widgets' } };
    const { objects } = fixtureObjects(configOf(watched), { w: [named('a')] });
    expect(objects.get('w')?.get('web/a')).toMatchObject({ apiVersion: 'example.com/v2', kind: 'Widget' });
  });

  it('keep what they say themselves', () => {
    const own = { apiVersion: 'v9', kind: 'Strange', ...named('a') };
    const { objects } = fixtureObjects(configOf(services), { services: [own] });
    expect(objects.get('services')?.get('web/a')).toMatchObject({ apiVersion: 'v9', kind: 'Strange' });
  });

  it('lose what watched objects lose, and stay as they were written themselves', () => {
    const written = named('a', { managedFields: [{ manager: 'kubectl' }] });
    const before = structuredClone(written);
    const { objects } = fixtureObjects(configOf(services), { services: [written] });
    expect(objects.get('services')?.get('web/a')?.metadata).toEqual({ namespace: 'web', name: 'a' });
    expect(written).toEqual(before);
  });

  it('lose the fields that their resource ignores, after they were selected', () => {
    const watched = {
      services: { ...services.services, ignoreFields: ['status'], fieldSelector: 'status.phase=up' },
    };
    const { objects } = fixtureObjects(configOf(watched), {
      services: [
        { ...named('a'), status: { phase: 'up' } },
        { ...named('b'), status: { phase: 'down' } },
      ],
    });
    expect([...(objects.get('services') ?? [])]).toEqual([
      ['web/a', { apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'web', name: 'a' } }],
    ]);
  });

  it('of a watched resource without any are an empty store', () => {
    expect(keysOf(services, {}, 'services')).toEqual([]);
  });

  it('of haproxy-pods belong to no watched resource, and are what templates see of such pods', () => {
    const pods = [{ ...named('haproxy-0'), status: { podIP: '10.0.0.7' } }, named('haproxy-1')];
    const found = fixtureObjects(configOf(services), { 'haproxy-pods': pods });
    expect(found.pods).toEqual([{ namespace: 'web', name: 'haproxy-0', address: '10.0.0.7' }]);
    expect([...found.objects.keys()]).toEqual(['services']);
    expect(found.notes).toEqual([
      'fixtures.haproxy-pods[1]: web/haproxy-1 is left out, since it has no status.podIP',
    ]);
  });
});

describe('what is wrong with objects of a test', () => {
  it('is named all at once, each with its field', () => {
    expect(
      errorOf(services, {
        service: [named('a')],
        services: [
          'text',
          { spec: {} },
          named('a'),
          named('a'),
          { metadata: { name: 'b', labels: { x: 1 } } },
        ],
      }).split('\n'),
    ).toEqual([
      'fixtures.service is no watched resource; there is services, haproxy-pods',
      'fixtures.services[0] is not an object',
      'fixtures.services[1]: metadata is missing or not an object',
      'fixtures.services[3]: web/a is there already',
      'fixtures.services[4]: metadata.labels[x] is not a string',
    ]);
  });
});

describe('selectors of a resource', () => {
  const fixtures = {
    services: [
      named('plain'),
      named('gold', { labels: { tier: 'gold' } }),
      named('iron', { labels: { tier: 'iron', canary: 'yes' } }),
    ],
  };
  const select = (selector: object) => ({ services: { ...services.services, ...selector } });

  it.each([
    ['none', {}, ['web/plain', 'web/gold', 'web/iron']],
    ['equality of labels', { labelSelector: 'tier=gold' }, ['web/gold']],
    ['sets of labels', { labelSelector: 'tier in (gold, iron), !canary' }, ['web/gold']],
    ['absence of a label', { labelSelector: 'tier notin (gold)' }, ['web/plain', 'web/iron']],
    ['fields', { fieldSelector: 'metadata.name!=plain' }, ['web/gold', 'web/iron']],
    ['namespaces', { namespaces: ['shop'] }, []],
    ['labels and fields', { labelSelector: 'tier', fieldSelector: 'metadata.name=iron' }, ['web/iron']],
  ])('%s', (_title, selector, keys) => {
    expect(keysOf(select(selector), fixtures, 'services')).toEqual(keys);
  });

  it('look at the labels of namespaces, which need not be watched', () => {
    const watched = select({ namespaceSelector: 'team=web' });
    const namespaces = (team: string) => ({ namespaces: [{ metadata: { name: 'web', labels: { team } } }] });
    expect(keysOf(watched, { ...fixtures, ...namespaces('web') }, 'services')).toHaveLength(3);
    expect(keysOf(watched, { ...fixtures, ...namespaces('shop') }, 'services')).toEqual([]);
    expect(keysOf(watched, fixtures, 'services')).toEqual([]);
  });

  it('leave objects out with a note that says which selector does', () => {
    const { notes } = fixtureObjects(configOf(select({ labelSelector: 'tier=gold' })), fixtures);
    expect(notes).toEqual([
      'fixtures.services[0]: web/plain is left out, since labelSelector tier=gold does not select it',
      'fixtures.services[2]: web/iron is left out, since labelSelector tier=gold does not select it',
    ]);
  });

  it('do not forgive an object that is none', () => {
    expect(errorOf(select({ labelSelector: 'tier=gold' }), { services: [{}] })).toContain(
      'fixtures.services[0]',
    );
  });
});
