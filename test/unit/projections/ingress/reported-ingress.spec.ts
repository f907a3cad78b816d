import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { valuesOf } from '../../../../src/lib/ordered-map.ts';
import { bundleFile, bundleFiles, createIngressRenderer } from '../../../fixtures/ingress-renderer.ts';
import { endpointSlice, ingress, ingressClass, service } from '../../../fixtures/kube-objects.ts';
import { createIngressWorld } from '../ingress-world.ts';

const ready = [ingressClass(), service(), endpointSlice({ endpoints: ['10.0.0.1'] })];
const root = (host: string, to = 'echo') => ({ host, paths: [{ path: '/', service: to }] });

function worldAndScratch(before: readonly KubeObject[], after: readonly KubeObject[]) {
  const world = createIngressWorld(before);
  const gone = before.filter((object) => !after.includes(object));
  world.remove(...gone);
  world.put(...after);
  return [world.snapshot(), createIngressWorld(after).snapshot()] as const;
}

describe('what others have got wrong, as facts', () => {
  it('HT#9: an Ingress that goes leaves none of its hosts', () => {
    const two = ingress({ rules: [root('a.example.com'), root('b.example.com')] });
    const other = ingress({ name: 'other', rules: [root('b.example.com')] });
    const [left, scratch] = worldAndScratch([...ready, two, other], [...ready, other]);
    expect(left).toEqual(scratch);
    expect(JSON.stringify(left)).not.toContain('a.example.com');
  });

  it('HT#17: an endpoint that moves is followed by every backend of its Service', () => {
    const named = service({ ports: [{ name: 'web', port: 80 }] });
    const slice = (address: string) => endpointSlice({ ports: [{ name: 'web' }], endpoints: [address] });
    const world = createIngressWorld([
      ingressClass(),
      named,
      slice('10.0.0.1'),
      ingress({ rules: [{ paths: ['/', { path: '/named', port: 'web' }] }] }),
      ingress({
        name: 'other',
        annotations: { 'haproxy-haptic.org/timeout-server': '5s' },
        rules: [root('a.example.com')],
      }),
    ]);
    expect(world.backends.keys()).toHaveLength(3);
    world.put(slice('10.0.0.9'));
    for (const backend of world.backends.keys()) {
      expect(world.serverLines(backend)).toEqual(['pod-10-0-0-9 10.0.0.9:8080 100']);
    }
  });

  it('HAPTIC#123: the target port of a Service is not read: slices say where pods listen', () => {
    const world = createIngressWorld([
      ingressClass(),
      service({ ports: [{ port: 80, targetPort: 9999 }] }),
      endpointSlice({ ports: [{ port: 8081 }], endpoints: ['10.0.0.1'] }),
      ingress({ rules: [root('a.example.com')] }),
    ]);
    expect(world.serverLines('shop_echo_80')).toEqual(['pod-10-0-0-1 10.0.0.1:8081 100']);
  });

  it('JM#33: an ExternalName Service with ports and without endpoints is served', () => {
    const world = createIngressWorld([
      ingressClass(),
      service({ type: 'ExternalName', externalName: 'api.example.net', ports: [{ name: 'web', port: 80 }] }),
      ingress({ rules: [{ host: 'a.example.com', paths: [{ path: '/', port: 'web' }] }] }),
    ]);
    const [backend = ''] = world.backends.keys();
    expect(world.serverLines(backend)).toEqual(['external 0.0.0.0:80 100']);
    expect(world.problemLines()).toEqual([]);
  });

  it('JM#34: thousands of hosts of one backend make no line longer', () => {
    const longest = (count: number) => {
      const renderer = createIngressRenderer();
      const hosts = Array.from({ length: count }, (_, i) => `h${i}.example.com`);
      renderer.put(...ready, ingress({ rules: hosts.map((host) => root(host)) }));
      const bundle = renderer.bundle();
      expect(Object.values(bundleFiles(bundle)).join('\n')).toContain(`h${count - 1}.example.com`);
      const lines = bundleFile(bundle, 'haproxy.cfg').split('\n');
      return Math.max(...lines.map((line) => line.length));
    };
    expect(longest(3000)).toBe(longest(1));
    expect(longest(1)).toBeLessThan(2048);
  });

  it('JM#37, TRF#74: an Ingress that becomes ours by its class gets a status, and loses it when it leaves', () => {
    const renderer = createIngressRenderer({ publishing: { addresses: ['192.0.2.1'] } });
    const named = (className: string) => ingress({ className, rules: [root('a.example.com')] });
    const statuses = () => {
      const { statusPatches } = renderer.bundle();
      return statusPatches === undefined ? 0 : [...valuesOf(statusPatches)].length;
    };
    renderer.put(...ready, named('other'));
    expect(statuses()).toBe(0);
    renderer.put(named('haptic'));
    expect(statuses()).toBe(1);
    renderer.put(named('other'));
    expect(statuses()).toBe(0);
  });

  it('JM#38: addresses of both families are published', () => {
    const publishing = { service: { namespace: 'haptic', name: 'haproxy' }, addresses: [] };
    const world = createIngressWorld(
      [
        ...ready,
        ingress({ rules: [root('a.example.com')] }),
        {
          ...service({ namespace: 'haptic', name: 'haproxy', type: 'LoadBalancer' }),
          status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }] } },
        },
      ],
      { publishing },
    );
    expect(world.ingressStatuses.peek('shop/echo')?.status.loadBalancer.ingress).toEqual([
      { ip: '192.0.2.1' },
      { ip: '2001:db8::1' },
    ]);
  });

  it('NGX#54: the younger of two equal claims is told who has the path', () => {
    const world = createIngressWorld([
      ...ready,
      ingress({ name: 'b', created: '2020-01-01T00:00:00Z', rules: [root('a.example.com')] }),
      ingress({ name: 'a', rules: [root('a.example.com')] }),
    ]);
    expect(world.problemLines()).toEqual(['Ingress shop/a ConflictLost spec.rules[0].http.paths[0]']);
    expect(world.problems()[0]?.message).toContain('Ingress shop/b');
  });

  it('K8S#82: 1,100 endpoints in 11 slices are 1,100 servers, and a changed slice is one changed backend', () => {
    const slice = (i: number, last = '9') =>
      endpointSlice({
        name: `echo-${i}`,
        endpoints: Array.from({ length: 100 }, (_, j) => `10.${i}.${j}.${j === 99 ? last : '1'}`),
      });
    const other = ingress({ name: 'other', rules: [root('b.example.com', 'other')] });
    const world = createIngressWorld([
      ingressClass(),
      service(),
      service({ name: 'other' }),
      ...Array.from({ length: 11 }, (_, i) => slice(i)),
      ingress({ rules: [root('a.example.com')] }),
      other,
    ]);
    expect(world.serverLines('shop_echo_80')).toHaveLength(1100);
    expect(world.changesOf(() => world.put(slice(4, '10'), slice(5, '10')))).toEqual({
      backends: ['shop_echo_80'],
    });
    expect(world.serverLines('shop_echo_80')).toHaveLength(1100);
  });

  it('K8S#83: a slice of names is reported, and the others are used', () => {
    const world = createIngressWorld([
      ...ready,
      endpointSlice({ name: 'names', addressType: 'FQDN', endpoints: ['pod.example.com'] }),
      ingress({ rules: [root('a.example.com')] }),
    ]);
    expect(world.serverLines('shop_echo_80')).toHaveLength(1);
    expect(world.problemLines()).toEqual(['EndpointSlice shop/names AddressTypeUnsupported addressType']);
  });

  it('K8S#85: endpoints that refer to nothing have names of their own', () => {
    const world = createIngressWorld([
      ingressClass(),
      service({ selector: null }),
      endpointSlice({ endpoints: [{ address: '10.0.0.1', pod: null }] }),
      ingress({ rules: [root('a.example.com')] }),
    ]);
    expect(world.serverLines('shop_echo_80')).toEqual(['10.0.0.1 10.0.0.1:8080 100']);
  });

  it('K8S#86: a resource in place of a Service is reported by its field', () => {
    const backend = { resource: { apiGroup: 'x.example.com', kind: 'Bucket', name: 'b' } };
    const world = createIngressWorld([
      ...ready,
      ingress({
        defaultBackend: backend,
        rules: [{ host: 'a.example.com', paths: [{ path: '/', backend }] }],
      }),
    ]);
    expect(world.problemLines()).toEqual([
      'Ingress shop/echo ResourceBackendUnsupported spec.defaultBackend.resource',
      'Ingress shop/echo ResourceBackendUnsupported spec.rules[0].http.paths[0].backend.resource',
    ]);
  });
});
