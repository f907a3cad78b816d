import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import {
  endpointSlice,
  ingress,
  ingressClass,
  objectKey,
  service,
  serviceBackend,
} from '../../../fixtures/kube-objects.ts';
import { createIngressWorld, type IngressWorld } from '../ingress-world.ts';

const name = fc.constantFrom('a', 'b', 'c');
const namespace = fc.constantFrom('shop', 'x-y');
const created = fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', 'not a time');
const port = fc.constantFrom(80, 'http', { raw: { number: 99_999 } }, 81);
const junk = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant(undefined));

const path = fc.record(
  {
    path: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom('/', '/a', '/a/', '/a/b', '/a b') },
      { weight: 1, arbitrary: junk },
    ),
    pathType: fc.constantFrom('Exact', 'Prefix', 'ImplementationSpecific'),
    service: name,
    port,
  },
  { requiredKeys: ['path', 'pathType'] },
);

const anyIngress = fc
  .record({
    name,
    namespace,
    created,
    className: fc.constantFrom('haptic', 'other', null),
    rules: fc.array(
      fc.record({
        host: fc.constantFrom(undefined, 'h.example.com', '*.example.com', 'bad host'),
        paths: fc.array(path, { maxLength: 3 }),
      }),
      { maxLength: 3 },
    ),
    defaultBackend: fc.constantFrom(undefined, serviceBackend('a'), { resource: {} }, 5),
  })
  .map(ingress);

const anyClass = fc
  .record({
    name: fc.constantFrom('haptic', 'other'),
    controller: fc.constantFrom('haproxy-haptic.org/controller', 'k8s.io/nginx'),
    isDefault: fc.boolean(),
    created,
  })
  .map(ingressClass);

const anyService = fc
  .record({
    name,
    namespace,
    type: fc.constantFrom('ClusterIP', 'ExternalName'),
    ports: fc.constantFrom(
      [{}],
      [
        { name: 'http', port: 80 },
        { name: 'b', port: 81 },
      ],
    ),
    ipFamilies: fc.constantFrom(['IPv4'], ['IPv6', 'IPv4']),
  })
  .map(service);

const flag = fc.constantFrom(undefined, null, true, false);
const anySlice = fc
  .record({
    name: fc.constantFrom('s1', 's2', 's3'),
    namespace,
    service: fc.oneof(name, fc.constant(null)),
    addressType: fc.constantFrom('IPv4', 'IPv6', 'FQDN'),
    ports: fc.constantFrom(
      null,
      [{}],
      [{ name: 'http', port: 8080 }],
      [
        { name: 'b', port: 9090 },
        { name: 'http', port: 0 },
      ],
    ),
    endpoints: fc.array(
      fc.record({
        address: fc.constantFrom('10.0.0.1', '10.0.0.2', 'fd00::1', 'fd00:0::1', '0.0.0.0', 'x', 7),
        ready: flag,
        serving: flag,
        terminating: flag,
        pod: fc.constantFrom('p1', 'p2', null),
      }),
      { maxLength: 4 },
    ),
  })
  .map(endpointSlice);

/** An object with one field of its body replaced by anything. */
const anyMalformed = fc
  .tuple(
    fc.oneof(anyIngress, anyService, anySlice, anyClass),
    fc.constantFrom('spec', 'endpoints', 'ports', 'addressType'),
    junk,
  )
  .map(([object, field, value]): KubeObject => ({ ...object, [field]: value }));

const anyObject = fc.oneof(
  { weight: 4, arbitrary: anyIngress },
  { weight: 2, arbitrary: anySlice },
  { weight: 2, arbitrary: anyService },
  { weight: 1, arbitrary: anyClass },
  { weight: 1, arbitrary: anyMalformed },
);

const edits = fc.array(fc.record({ object: anyObject, remove: fc.boolean(), turn: fc.boolean() }), {
  maxLength: 30,
});

/** What is left in the stores after the edits. */
function finalObjects(
  list: readonly { readonly object: KubeObject; readonly remove: boolean }[],
): KubeObject[] {
  const left = new Map<string, KubeObject>();
  for (const { object, remove } of list) {
    const key = `${object.kind} ${objectKey(object)}`;
    left.delete(key);
    if (!remove) left.set(key, object);
  }
  return [...left.values()];
}

/** Problems that the engine reports about projectors, which no object may ever cause. */
function internalFaults(world: IngressWorld) {
  return world.problems().filter(({ reason }) => reason === 'ProjectionFailed' || reason === 'DuplicateKey');
}

describe('Ingress projections under random edits', () => {
  it('say the same as a computation from scratch, in whatever order the objects come', () => {
    fc.assert(
      fc.property(fc.constant(ingressClass()), edits, fc.nat(), (first, list, seed) => {
        const world = createIngressWorld([first], { seed });
        for (const { object, remove } of list) {
          if (remove) world.remove(object);
          else world.put(object);
        }
        const left = finalObjects([{ object: first, remove: false }, ...list]);
        const scratch = createIngressWorld(left, { seed: seed + 1 });
        const reversed = createIngressWorld([...left].reverse());
        expect(world.snapshot()).toEqual(scratch.snapshot());
        expect(internalFaults(world)).toEqual([]);
        expect(reversed.snapshot()).toEqual(scratch.snapshot());
      }),
      { numRuns: 300 },
    );
  });

  it('name proxies and servers in a way that HAProxy and the maps can carry', () => {
    fc.assert(
      fc.property(fc.array(anyObject, { maxLength: 30 }), (objects) => {
        const world = createIngressWorld([ingressClass(), ...objects]);
        for (const key of world.routes.keys()) {
          const route = world.routes.peek(key)!;
          expect(`${route.group}${route.path}`).toMatch(/^[\x21-\x7e]+$/);
          expect(route.group).not.toContain('/');
          expect(
            route.backend === 'haptic-unavailable' || world.backends.peek(route.backend) !== undefined,
          ).toBe(true);
          expect(world.hosts.peek(route.group)).toBeDefined();
        }
        for (const key of world.backends.keys()) {
          const { name, servers } = world.backends.peek(key)!;
          expect(name).toMatch(/^[-a-z0-9]+_[-a-z0-9]+_[-a-z0-9]+$/);
          expect(servers.map((server) => server.name)).toEqual(
            [...new Set(servers.map((server) => server.name))].sort(),
          );
          for (const server of servers) expect(server.name).toMatch(/^[A-Za-z0-9_.-]{1,255}$/);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('never throw, whatever JSON an object is made of', () => {
    const shape = fc.record({
      kind: fc.constantFrom('Ingress', 'IngressClass', 'Service', 'EndpointSlice'),
      spec: junk,
      endpoints: junk,
      ports: junk,
      addressType: junk,
      annotations: junk,
      labels: junk,
      creationTimestamp: junk,
    });
    fc.assert(
      fc.property(fc.array(shape, { maxLength: 10 }), (shapes) => {
        const world = createIngressWorld([
          ingressClass({ isDefault: true }),
          service(),
          endpointSlice({ endpoints: ['10.0.0.1'] }),
        ]);
        world.put(
          ingress({
            name: 'good',
            created: '2020-01-01T00:00:00Z',
            rules: [{ host: 'good.example.com', paths: ['/'] }],
          }),
        );
        shapes.forEach(({ annotations, labels, creationTimestamp, ...object }, i) => {
          const metadata = { name: `m${i}`, namespace: 'shop', annotations, labels, creationTimestamp };
          world.put({ ...object, metadata } as unknown as KubeObject);
        });
        expect(world.serverLines('shop_echo_80')).toEqual(['pod-10-0-0-1 10.0.0.1:8080 100']);
        expect(world.routeLines()).toContain('good.example.com prefix  → shop_echo_80');
        expect(internalFaults(world)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
