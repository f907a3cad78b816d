import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { endpointSlice, ingress, ingressClass, service } from '../../../fixtures/kube-objects.ts';
import { anyObject, edits, finalObjects, junk } from '../arbitrary-objects.ts';
import { createIngressWorld, type IngressWorld } from '../ingress-world.ts';

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
      { numRuns: 1000 },
    );
  }, 120_000);

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
          expect(name).toMatch(/^[-a-z0-9]+_[-a-z0-9]+_[-a-z0-9]+(_[0-9a-f]+)?$/);
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
