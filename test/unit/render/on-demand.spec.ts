import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { referenceTo } from '../../../src/api/object-reference.ts';
import { createGraph } from '../../../src/collections/create-graph.ts';
import { createOnDemandCache, type Arrival, type Want } from '../../../src/collections/on-demand-cache.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { valuesOf } from '../../../src/lib/ordered-map.ts';
import { createRenderer } from '../../../src/render/create-renderer.ts';

const defaults = loadConfig([{ name: 'test.yaml', text: 'haproxyConfig: {template: x}' }]);

const byIngress = `
{{#forEach resources.ingresses as |i|}}
{{#with (fetch "secrets" i.metadata.namespace i.spec.secret) as |s|}}
# {{i.metadata.name}} has {{s.data.crt}}
{{else}}
# {{i.metadata.name}} has none
{{/with}}
{{/forEach}}
`;

function setUp(template: string, { max = 10, indexBy = ['metadata.namespace', 'metadata.name'] } = {}) {
  const graph = createGraph({ checkPurity: { seed: 3 } });
  const ingresses = graph.source<KubeObject>('ingresses');
  const secrets = graph.source<KubeObject>('secrets');
  const cache = createOnDemandCache<KubeObject>(graph.source<Arrival>('secrets read'), {
    max,
    ttl: 0,
    now: () => 1,
    versionOf: ({ metadata }) => metadata.resourceVersion,
  });
  const renderer = createRenderer({
    graph,
    config: {
      ...defaults,
      haproxyConfig: { template },
      watchedResources: {
        ingresses: { ...watched, resources: 'ingresses' },
        secrets: { ...watched, resources: 'secrets', store: 'on-demand', indexBy },
      },
    },
    resources: { ingresses, secrets },
    collections: {},
    onDemand: { secrets: { arrivals: cache.arrivals, cache } },
  });
  const wants: Want[] = [];
  cache.wanted$.subscribe((want) => wants.push(want));
  const refer = referenceTo(indexBy);
  return {
    cache,
    ingress: (name: string, secret: string) =>
      ingresses.set(`shop/${name}`, {
        kind: 'Ingress',
        metadata: { name, namespace: 'shop' },
        spec: { secret },
      }),
    secret: (name: string, version: string) => secrets.set(`shop/${name}`, refer(secretOf(name, version))),
    removeSecret: (name: string) => {
      secrets.delete(`shop/${name}`);
      cache.forget(`shop/${name}`);
    },
    whole: (name: string, version: string) => secrets.set(`shop/${name}`, secretOf(name, version)),
    /** What is wanted since the last look. */
    wanted: () => wants.splice(0),
    arrive: (want: Want, version: string) => cache.arrived(want, secretOf(want.key.slice(5), version)),
    lines: () => {
      graph.advance();
      const { plan } = renderer.bundle();
      return [...valuesOf(plan.sections)]
        .map(({ text }) => text)
        .join('')
        .split('\n')
        .filter((line) => line.startsWith('#'));
    },
    problems: () =>
      renderer.bundle().problems.map(({ severity, message, owner }) => [severity, owner.name, message]),
  };
}

const watched = {
  apiVersion: 'v1',
  optional: false,
  indexBy: ['metadata.namespace', 'metadata.name'],
  store: 'full' as const,
  debounceInterval: '0',
  enableValidationWebhook: false,
};

function secretOf(name: string, version: string): KubeObject {
  return {
    kind: 'Secret',
    metadata: { name, namespace: 'shop', resourceVersion: version, labels: { app: 'web' } },
    data: { crt: `${name}-${version}` },
  };
}

describe('objects that are read on demand', () => {
  it('appear when they were read, and those who read them are silent until then', () => {
    const world = setUp(byIngress);
    world.ingress('front', 'tls');
    world.secret('tls', '1');
    world.secret('other', '1');
    expect(world.lines()).toStrictEqual([]);
    expect(world.problems()).toStrictEqual([]);
    const wants = world.wanted();
    expect(wants).toStrictEqual([{ key: 'shop/tls', version: '1', failures: 0 }]);
    world.arrive(wants[0]!, '1');
    expect(world.lines()).toStrictEqual(['# front has tls-1']);
    expect(world.wanted()).toStrictEqual([]);
  });

  it('are not waited for where there is none', () => {
    const world = setUp(byIngress);
    world.ingress('front', 'tls');
    expect(world.lines()).toStrictEqual(['# front has none']);
    expect(world.wanted()).toStrictEqual([]);
  });

  it('are read again when they change, and stay what they were until then', () => {
    const world = setUp(byIngress);
    world.ingress('front', 'tls');
    world.secret('tls', '1');
    world.lines();
    world.arrive(world.wanted()[0]!, '1');
    world.lines();
    world.secret('tls', '2');
    expect(world.lines()).toStrictEqual(['# front has tls-1']);
    const wants = world.wanted();
    expect(wants.map(({ version }) => version)).toStrictEqual(['2']);
    world.arrive(wants[0]!, '2');
    expect(world.lines()).toStrictEqual(['# front has tls-2']);
  });

  it('are read once where the API was ahead of the watch', () => {
    const world = setUp(byIngress);
    world.ingress('front', 'tls');
    world.secret('tls', '1');
    world.lines();
    world.arrive(world.wanted()[0]!, '3');
    expect(world.lines()).toStrictEqual(['# front has tls-3']);
    world.secret('tls', '3');
    expect(world.lines()).toStrictEqual(['# front has tls-3']);
    expect(world.wanted()).toStrictEqual([]);
  });

  it('leave the last output in place while another one is read', () => {
    const world = setUp(byIngress);
    world.ingress('front', 'tls');
    world.secret('tls', '1');
    world.secret('next', '1');
    world.lines();
    world.arrive(world.wanted()[0]!, '1');
    world.lines();
    world.ingress('front', 'next');
    expect(world.lines()).toStrictEqual(['# front has tls-1']);
    world.arrive(world.wanted()[0]!, '1');
    expect(world.lines()).toStrictEqual(['# front has next-1']);
  });

  it('are a problem that names them when they cannot be read, and the last output stays', () => {
    const world = setUp(byIngress);
    world.ingress('front', 'tls');
    world.secret('tls', '1');
    world.secret('next', '1');
    world.lines();
    world.arrive(world.wanted()[0]!, '1');
    world.lines();
    world.ingress('front', 'next');
    world.lines();
    world.cache.failed(world.wanted()[0]!, '403 Forbidden: no');
    expect(world.lines()).toStrictEqual(['# front has tls-1']);
    expect(world.problems()).toStrictEqual([
      ['error', 'front', expect.stringContaining('secrets shop/next cannot be read: 403 Forbidden: no')],
    ]);
    const again = world.wanted();
    expect(again).toStrictEqual([{ key: 'shop/next', version: '1', failures: 1 }]);
    world.arrive(again[0]!, '1');
    expect(world.lines()).toStrictEqual(['# front has next-1']);
    expect(world.problems()).toStrictEqual([]);
  });

  it('are used as they were, with a warning, when their new state cannot be read', () => {
    const world = setUp(byIngress);
    world.ingress('front', 'tls');
    world.secret('tls', '1');
    world.lines();
    world.arrive(world.wanted()[0]!, '1');
    world.lines();
    world.secret('tls', '2');
    world.lines();
    world.cache.failed(world.wanted()[0]!, '500: no');
    expect(world.lines()).toStrictEqual(['# front has tls-1']);
    expect(world.problems()).toStrictEqual([
      ['warning', 'front', 'secrets shop/tls cannot be read: 500: no; its former state is used'],
    ]);
  });

  it('count as absent when the API does not have them any more', () => {
    const world = setUp(byIngress);
    world.ingress('front', 'tls');
    world.secret('tls', '1');
    world.lines();
    world.cache.gone(world.wanted()[0]!);
    expect(world.lines()).toStrictEqual(['# front has none']);
    world.removeSecret('tls');
    expect(world.lines()).toStrictEqual(['# front has none']);
    world.secret('tls', '7');
    world.lines();
    world.arrive(world.wanted()[0]!, '7');
    expect(world.lines()).toStrictEqual(['# front has tls-7']);
  });

  it('are asked for again when one was made anew under the same name unnoticed', () => {
    const world = setUp(byIngress);
    world.ingress('front', 'tls');
    world.secret('tls', '1');
    world.lines();
    world.cache.gone(world.wanted()[0]!);
    expect(world.lines()).toStrictEqual(['# front has none']);
    world.secret('tls', '7');
    expect(world.lines()).toStrictEqual(['# front has none']);
    world.arrive(world.wanted()[0]!, '7');
    expect(world.lines()).toStrictEqual(['# front has tls-7']);
  });

  it('leave with their references', () => {
    const world = setUp(byIngress);
    world.ingress('front', 'tls');
    world.secret('tls', '1');
    world.lines();
    world.arrive(world.wanted()[0]!, '1');
    world.lines();
    world.removeSecret('tls');
    expect(world.lines()).toStrictEqual(['# front has none']);
    expect(world.cache.size).toBe(0);
  });

  it('need not be in memory for what was made of them to stand, and are read again when they are needed again', () => {
    const world = setUp(byIngress, { max: 1 });
    for (const name of ['a', 'b', 'c']) {
      world.ingress(name, name);
      world.secret(name, '1');
    }
    world.lines();
    for (const want of world.wanted()) world.arrive(want, '1');
    const all = ['# a has a-1', '# b has b-1', '# c has c-1'];
    expect(world.lines()).toStrictEqual(all);
    world.cache.expire();
    expect(world.cache.size).toBe(1);
    expect(world.lines()).toStrictEqual(all);
    expect(world.wanted()).toStrictEqual([]);
    world.ingress('d', 'a');
    expect(world.lines()).toStrictEqual(all);
    world.arrive(world.wanted()[0]!, '1');
    expect(world.lines()).toStrictEqual([...all, '# d has a-1']);
  });

  it('are all there for a list of more than are kept, in the order of their keys', () => {
    const template = `
{{#forEach resources.ingresses as |i|}}
{{#each (list "secrets") as |s|}}
# {{s.data.crt}}
{{/each}}
{{/forEach}}
`;
    const world = setUp(template, { max: 1 });
    world.ingress('front', 'x');
    for (const name of ['c', 'a', 'b']) world.secret(name, '1');
    expect(world.lines()).toStrictEqual([]);
    const wants = world.wanted();
    expect(wants.map(({ key }) => key)).toStrictEqual(['shop/a', 'shop/b', 'shop/c']);
    for (const want of wants) {
      world.arrive(want, '1');
      world.lines();
    }
    expect(world.lines()).toStrictEqual(['# a-1', '# b-1', '# c-1']);
    world.cache.expire();
    expect(world.cache.size).toBe(1);
    expect(world.wanted()).toStrictEqual([]);
  });

  it('are found by the keys that references keep', () => {
    const template = `
{{#forEach resources.ingresses as |i|}}
{{#with (single "secrets" i.spec.secret) as |s|}}
# {{s.data.crt}}
{{/with}}
{{/forEach}}
`;
    const world = setUp(template, { indexBy: ['metadata.labels.app'] });
    world.ingress('front', 'web');
    world.secret('tls', '1');
    world.lines();
    world.arrive(world.wanted()[0]!, '1');
    expect(world.lines()).toStrictEqual(['# tls-1']);
  });

  it('are whole in a loop over them', () => {
    const world = setUp('{{#forEach resources.secrets as |s|}}\n# {{s.data.crt}}\n{{/forEach}}\n');
    world.secret('a', '1');
    world.secret('b', '1');
    expect(world.lines()).toStrictEqual([]);
    const wants = world.wanted();
    const wantOf = (key: string) => wants.find((want) => want.key === key)!;
    world.arrive(wantOf('shop/b'), '1');
    expect(world.lines()).toStrictEqual(['# b-1']);
    world.arrive(wantOf('shop/a'), '1');
    expect(world.lines()).toStrictEqual(['# a-1', '# b-1']);
  });

  it('are a problem of themselves in a loop over them, when they cannot be read', () => {
    const world = setUp('{{#forEach resources.secrets as |s|}}\n# {{s.data.crt}}\n{{/forEach}}\n');
    world.secret('a', '1');
    world.lines();
    world.cache.failed(world.wanted()[0]!, '403: no');
    expect(world.lines()).toStrictEqual([]);
    expect(world.problems()).toStrictEqual([
      ['error', 'a', 'secrets shop/a cannot be read: 403: no (resources.secrets)'],
    ]);
    world.arrive(world.wanted()[0]!, '1');
    expect(world.lines()).toStrictEqual(['# a-1']);
  });

  it('need no reading where a store holds them whole', () => {
    const world = setUp(byIngress);
    world.ingress('front', 'tls');
    world.whole('tls', '1');
    expect(world.lines()).toStrictEqual(['# front has tls-1']);
    expect(world.wanted()).toStrictEqual([]);
  });

  it('are a problem once they are given up, and come nevertheless', () => {
    const world = setUp(byIngress);
    world.ingress('front', 'tls');
    world.secret('tls', '1');
    world.lines();
    const [want] = world.wanted();
    world.cache.giveUp('not read within 10 s');
    expect(world.lines()).toStrictEqual([]);
    expect(world.problems()).toStrictEqual([
      ['error', 'front', expect.stringContaining('secrets shop/tls cannot be read: not read within 10 s')],
    ]);
    expect(world.wanted()).toStrictEqual([]);
    world.arrive(want!, '1');
    expect(world.lines()).toStrictEqual(['# front has tls-1']);
  });
});
