import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { valuesOf } from '../../../../src/lib/ordered-map.ts';
import type { Bundle } from '../../../../src/protocol/bundle.ts';
import type { Publishing } from '../../../../src/projections/published-addresses.ts';
import { createIngressRenderer } from '../../../fixtures/ingress-renderer.ts';
import { endpointSlice, ingress, ingressClass, service } from '../../../fixtures/kube-objects.ts';

const publishService = { namespace: 'haptic', name: 'haproxy' };
const haproxy = (spec: unknown, status?: unknown): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'haptic', name: 'haproxy', uid: 'u', resourceVersion: '1' },
  spec,
  ...(status === undefined ? {} : { status }),
});
const balanced = (...entries: readonly unknown[]) =>
  haproxy({ type: 'LoadBalancer' }, { loadBalancer: { ingress: entries } });

function rendererWith(publishing: Publishing, ...objects: readonly KubeObject[]) {
  const renderer = createIngressRenderer({ publishing });
  renderer.put(
    ingressClass(),
    service(),
    endpointSlice({ endpoints: ['10.0.0.1'] }),
    ingress({ name: 'ours', rules: [{ host: 'a.example.com', paths: ['/'] }] }),
    ingress({ name: 'theirs', className: 'other', rules: [{ host: 'b.example.com', paths: ['/'] }] }),
    ...objects,
  );
  return renderer;
}
const statuses = ({ statusPatches }: Bundle) =>
  [...(statusPatches === undefined ? [] : valuesOf(statusPatches))].map(({ target, variants }) => ({
    name: target.name,
    ...variants,
  }));
const said = (...list: readonly object[]) => [
  { name: 'ours', deployed: { loadBalancer: { ingress: list } } },
];

describe('statuses of Ingresses', () => {
  it.each<[string, Publishing, readonly KubeObject[], readonly object[]]>([
    ['nothing, where nothing is to be published', { addresses: [] }, [], []],
    [
      'addresses that are given',
      { addresses: ['lb.example.com', '192.0.2.1', '2001:db8::1', '192.0.2.1'] },
      [],
      said({ hostname: 'lb.example.com' }, { ip: '192.0.2.1' }, { ip: '2001:db8::1' }),
    ],
    [
      'those of the load balancer',
      { service: publishService, addresses: [] },
      [balanced({ ip: '192.0.2.2' }, { hostname: 'x.elb.example.com', ports: [] }, { ip: 7 }, null)],
      said({ hostname: 'x.elb.example.com' }, { ip: '192.0.2.2' }),
    ],
    [
      'all that a load balancer says of an address: its name too, and the ports',
      { service: publishService, addresses: [] },
      [
        balanced({
          ip: '192.0.2.2',
          hostname: 'x.elb.example.com',
          ipMode: 'VIP',
          ports: [
            { port: 80, protocol: 'TCP' },
            { port: 443, protocol: 'TCP', error: 'example.com/NotReady', more: 1 },
            ...[{ port: '80', protocol: 'TCP' }, { port: 80 }, null, 'x'],
          ],
        }),
      ],
      said({
        ip: '192.0.2.2',
        hostname: 'x.elb.example.com',
        ports: [
          { port: 80, protocol: 'TCP' },
          { port: 443, protocol: 'TCP', error: 'example.com/NotReady' },
        ],
      }),
    ],
    [
      'external addresses, where there is no load balancer',
      { service: publishService, addresses: [] },
      [haproxy({ type: 'ClusterIP', externalIPs: ['192.0.2.3'] }, { loadBalancer: {} })],
      said({ ip: '192.0.2.3' }),
    ],
    [
      'nothing of a Service without any',
      { service: publishService, addresses: [] },
      [haproxy({ type: 'ClusterIP' })],
      [],
    ],
    ['nothing of a Service that is not there', { service: publishService, addresses: [] }, [], []],
  ])('say %s', (_name, publishing, objects, expected) => {
    expect(statuses(rendererWith(publishing, ...objects).bundle())).toEqual(expected);
  });

  it('tell what is wrong with the Service', () => {
    const publishing = { service: publishService, addresses: [] };
    const problems = (renderer: ReturnType<typeof rendererWith>) =>
      renderer
        .bundle()
        .problems.map(({ reason, owner }) => `${reason} ${owner.kind} ${owner.namespace}/${owner.name}`);
    expect(problems(rendererWith(publishing))).toEqual(['PublishServiceMissing Service haptic/haproxy']);
    expect(problems(rendererWith(publishing, haproxy({})))).toEqual([
      'AddressMissing Service haptic/haproxy',
    ]);
  });

  it('follow the Service and the class, and leave the configuration alone', () => {
    const renderer = rendererWith({ service: publishService, addresses: [] });
    const { plan } = renderer.bundle();
    renderer.put(balanced({ ip: '192.0.2.2' }));
    const second = renderer.bundle();
    expect(statuses(second)).toEqual(said({ ip: '192.0.2.2' }));
    expect(second.plan.id).toBe(plan.id);
    renderer.put(balanced({ ip: '192.0.2.9' }));
    expect(statuses(renderer.bundle())).toEqual(said({ ip: '192.0.2.9' }));
    renderer.put(ingress({ name: 'ours', className: 'other', rules: [] }));
    expect(statuses(renderer.bundle())).toEqual([]);
  });
});
