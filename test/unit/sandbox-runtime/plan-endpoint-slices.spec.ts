import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EndpointSlice, Pod, Service } from '../../../src/sandbox/runtime/kinds.ts';
import { endpointsPerSlice, planEndpointSlices } from '../../../src/sandbox/runtime/plan-endpoint-slices.ts';

const service = (spec: Partial<Service['spec']> = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'default', name: 'echo', uid: 's1' },
  spec: { selector: { app: 'echo' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }], ...spec },
});

interface PodShape {
  readonly ip?: string;
  readonly ready?: boolean;
  readonly terminating?: boolean;
  readonly port?: number;
  readonly phase?: string;
}

const pod = (name: string, shape: PodShape = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    namespace: 'default',
    name,
    uid: `uid-${name}`,
    ...(shape.terminating === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
  },
  spec: {
    nodeName: 'sandbox',
    containers: [{ name: 'echo', ports: [{ name: 'http', containerPort: shape.port ?? 8080 }] }],
  },
  status: {
    phase: shape.phase ?? 'Running',
    ...(shape.ip === '' ? {} : { podIP: shape.ip ?? `127.9.0.${name.length}` }),
    conditions: [{ type: 'Ready', status: shape.ready === false ? 'False' : 'True' }],
  },
});

/** The slices after the plan was carried out. */
function carryOut(
  existing: readonly EndpointSlice[],
  plan: ReturnType<typeof planEndpointSlices>,
): EndpointSlice[] {
  const byName = new Map(existing.map((slice) => [slice.metadata.name, slice]));
  for (const slice of [...plan.create, ...plan.update]) byName.set(slice.metadata.name, slice);
  for (const slice of plan.remove) byName.delete(slice.metadata.name);
  return [...byName.values()];
}

const onlyEndpoint = (of: Pod, from = service()) =>
  planEndpointSlices(from, [of], []).create[0]!.endpoints[0]!;

describe('one endpoint', () => {
  test('names its pod, node and address, and the slice its Service', () => {
    const { create } = planEndpointSlices(service(), [pod('a', { ip: '127.9.0.7' })], []);
    expect(create).toHaveLength(1);
    expect(create[0]).toMatchObject({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      addressType: 'IPv4',
      metadata: {
        namespace: 'default',
        labels: {
          'kubernetes.io/service-name': 'echo',
          'endpointslice.kubernetes.io/managed-by': 'sandbox.haproxy-haptic.org',
        },
        ownerReferences: [{ kind: 'Service', name: 'echo', uid: 's1', controller: true }],
      },
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      endpoints: [
        {
          addresses: ['127.9.0.7'],
          nodeName: 'sandbox',
          targetRef: { kind: 'Pod', namespace: 'default', name: 'a', uid: 'uid-a' },
        },
      ],
    });
  });

  test.each([
    [{}, { ready: true, serving: true, terminating: false }],
    [{ ready: false }, { ready: false, serving: false, terminating: false }],
    [{ terminating: true }, { ready: false, serving: true, terminating: true }],
    [
      { terminating: true, ready: false },
      { ready: false, serving: false, terminating: true },
    ],
  ])('of a pod that is %j has conditions %j', (shape, conditions) => {
    expect(onlyEndpoint(pod('a', shape)).conditions).toStrictEqual(conditions);
  });

  test('is ready at any rate where the Service publishes addresses that are not', () => {
    const from = service({ publishNotReadyAddresses: true });
    expect(onlyEndpoint(pod('a', { ready: false }), from).conditions).toStrictEqual({
      ready: true,
      serving: false,
      terminating: false,
    });
  });

  test.each([{ ip: '' }, { phase: 'Succeeded' }, { phase: 'Failed' }])(
    'is not made of a pod with %j',
    (shape) => {
      expect(planEndpointSlices(service(), [pod('a', shape)], []).create[0]!.endpoints).toStrictEqual([]);
    },
  );
});

describe('ports', () => {
  test('by number need no container that declares them', () => {
    const from = service({ ports: [{ port: 80, targetPort: 9999 }] });
    expect(planEndpointSlices(from, [pod('a')], []).create[0]!.ports).toStrictEqual([
      { name: '', port: 9999, protocol: 'TCP' },
    ]);
  });

  test('without a target are the Service ports, and keep their application protocol', () => {
    const from = service({ ports: [{ name: 'g', port: 81, appProtocol: 'kubernetes.io/h2c' }] });
    expect(planEndpointSlices(from, [pod('a')], []).create[0]!.ports).toStrictEqual([
      { name: 'g', port: 81, protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' },
    ]);
  });

  test('whose name no container has are left out', () => {
    const from = service({ ports: [{ name: 'x', port: 80, targetPort: 'nope' }] });
    expect(planEndpointSlices(from, [pod('a')], []).create[0]!.ports).toStrictEqual([]);
  });

  test('that one name means differently on different pods part them into slices', () => {
    const { create } = planEndpointSlices(service(), [pod('a'), pod('b', { port: 9090 }), pod('c')], []);
    const shown = create.map((slice) => [
      slice.ports[0]!.port,
      slice.endpoints.map((e) => e.targetRef!.name),
    ]);
    expect(shown).toStrictEqual([
      [8080, ['a', 'c']],
      [9090, ['b']],
    ]);
  });
});

test('address families go to slices of their own', () => {
  const { create } = planEndpointSlices(service(), [pod('a'), pod('b', { ip: 'fd00::1' })], []);
  expect(create.map((slice) => slice.addressType).sort()).toStrictEqual(['IPv4', 'IPv6']);
});

test('a Service without pods has one empty slice, and it stays', () => {
  const { create } = planEndpointSlices(service(), [], []);
  expect(create.map((slice) => slice.endpoints)).toStrictEqual([[]]);
  expect(planEndpointSlices(service(), [], create)).toStrictEqual({ create: [], update: [], remove: [] });
});

test('the empty slice makes room for the first real one', () => {
  const { create: empty } = planEndpointSlices(service(), [], []);
  const slices = carryOut(empty, planEndpointSlices(service(), [pod('a')], empty));
  expect(slices.map((slice) => slice.endpoints.map((e) => e.targetRef!.name))).toStrictEqual([['a']]);
});

test('a pod that changes, comes or goes moves no other pod to another slice', () => {
  const names = Array.from(
    { length: 2 * endpointsPerSlice + 10 },
    (_, i) => `pod-${String(i).padStart(4, '0')}`,
  );
  const pods = names.map((name, i) => pod(name, { ip: `127.9.${Math.floor(i / 200)}.${1 + (i % 200)}` }));
  const slices = carryOut([], planEndpointSlices(service(), pods, []));
  expect(slices.map((slice) => slice.endpoints.length)).toStrictEqual([100, 100, 10]);

  const without = pods.filter((p) => p.metadata.name !== 'pod-0005');
  const plan = planEndpointSlices(service(), [...without, pod('zz', { ip: '127.9.9.9' })], slices);
  expect(plan.create).toStrictEqual([]);
  expect(plan.remove).toStrictEqual([]);
  expect(plan.update.map((slice) => slice.metadata.name)).toStrictEqual([slices[0]!.metadata.name]);
  expect(plan.update[0]!.endpoints.at(-1)!.targetRef!.name).toBe('zz');
});

test('any series of pod changes ends with each pod shown once and nothing else', () => {
  const shapes = fc.record({
    ready: fc.boolean(),
    terminating: fc.boolean(),
    port: fc.constantFrom(8080, 9090),
    ip: fc.constantFrom('', '127.9.0.1', 'fd00::1'),
  });
  const world = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), shapes, { noNullPrototype: true });
  fc.assert(
    fc.property(fc.array(world, { minLength: 1, maxLength: 8 }), (worlds) => {
      let slices: EndpointSlice[] = [];
      for (const shapesNow of worlds) {
        const pods = Object.entries(shapesNow).map(([name, shape]) => pod(name, shape));
        slices = carryOut(slices, planEndpointSlices(service(), pods, slices));
        const shown = slices.flatMap((slice) =>
          slice.endpoints.map((e) => [
            e.targetRef!.name,
            slice.ports[0]!.port,
            slice.addressType,
            e.conditions.serving,
          ]),
        );
        const wanted = Object.entries(shapesNow)
          .filter(([, shape]) => shape.ip !== '')
          .map(([name, shape]) => [name, shape.port, shape.ip.includes(':') ? 'IPv6' : 'IPv4', shape.ready]);
        expect(shown.sort()).toStrictEqual(wanted.sort());
        const again = planEndpointSlices(service(), pods, slices);
        expect(again).toStrictEqual({ create: [], update: [], remove: [] });
      }
    }),
  );
});
