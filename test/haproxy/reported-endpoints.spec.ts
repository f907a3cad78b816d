import { expect, it } from 'vitest';
import { addressRules } from '../../src/projections/endpoints/address-rules.ts';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { headersOf } from '../fixtures/headers-of.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { endpointSlice, ingress, service, type ServiceOptions } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

/** What other controllers have got wrong about Services and their endpoints, while these change. */
const pool = setUp(() => startEchoPool('a', 'b'));

describeEachLine('reported elsewhere: endpoints', (line) => {
  const world = setUp(() =>
    startIngressTraffic(
      line,
      [
        webOf(),
        sliceOf('a'),
        sliceOf('b'),
        annotatedIngress(host, {}),
        annotatedIngress('sticky.example.com', { affinity: 'cookie', 'session-cookie-name': 'CAME' }),
        service({
          name: 'outside',
          type: 'ExternalName',
          externalName: pool.at('b').host,
          ports: [{ port: pool.at('b').port }],
        }),
        // Left from when it had a selector.
        endpointSlice({
          service: 'outside',
          ports: [{ port: pool.at('a').port }],
          endpoints: [{ address: pool.at('a').host, pod: 'a' }],
        }),
        ingress({
          name: 'outside',
          rules: [
            {
              host: 'outside.example.com',
              paths: [{ path: '/', service: 'outside', port: pool.at('b').port }],
            },
          ],
        }),
      ],
      {
        externalNames: {
          enabled: true,
          allowedNames: [],
          clusterDomain: 'cluster.local',
          rules: addressRules([`${pool.at('b').host}/32`]),
        },
      },
    ),
  );
  const webOf = (options: ServiceOptions = {}) => service({ name: 'web', ...options });
  /** One slice for each server, since they listen on ports of their own. */
  const sliceOf = (name: 'a' | 'b', more: object = {}) =>
    endpointSlice({
      name: `web-${name}`,
      service: 'web',
      ports: [{ port: pool.at(name).port }],
      endpoints: [{ address: pool.at(name).host, pod: name, ...more }],
    });
  const host = 'web.example.com';

  it('HT#10: slices that are left from before count for nothing with an ExternalName', async () => {
    for (let i = 0; i < 4; i++) expect(await world.outcome({ host: 'outside.example.com' })).toBe('b');
  });

  it('HAPTIC#87: requests go round where nothing is said, whatever HAProxy would do by default', async () => {
    const seen: string[] = [];
    for (let i = 0; i < 6; i++) seen.push(await world.outcome({ host }));
    expect([seen.join(''), seen.toReversed().join('')]).toContain('ababab');
  });

  it('HT#16: what comes again as it was, or with defaults written out, changes nothing', async () => {
    const again = sliceOf('a', { ready: true, serving: true, terminating: false });
    const before = world.bundle();
    world.put(
      { ...again, metadata: { ...again.metadata, resourceVersion: '2' } },
      webOf({ sessionAffinity: 'None', ipFamilies: ['IPv4'], labels: { version: '2' } }),
    );
    expect(await world.changeFrom(before)).toEqual([]);
    expect(world.bundle().plan.id).toBe(before.plan.id);
  });

  it('HAPTIC#121, HAPTIC#122: endpoints in another order are the same servers in the same places', async () => {
    const ports = [{ port: pool.at('a').port }];
    const inOrder = (...addresses: readonly string[]) =>
      endpointSlice({ name: 'web-more', service: 'web', ports, endpoints: addresses });
    world.put(inOrder('127.9.9.1', '127.9.9.2', '127.9.9.3'));
    const three = await world.deploy();
    world.put(inOrder('127.9.9.3', '127.9.9.1', '127.9.9.2'));
    expect(await world.changeFrom(three)).toEqual([]);
    expect(world.bundle().plan.id).toBe(three.plan.id);
    world.remove(inOrder());
    await world.deploy();
  });

  it('JM#45: a terminating pod keeps the clients that it has by a cookie, and gets no others', async () => {
    const ask = async (cookie?: string) => {
      const { head, body } = await world.request({
        host: 'sticky.example.com',
        headers: cookie === undefined ? [] : [`Cookie: ${cookie}`],
      });
      const { server } = JSON.parse(body) as { readonly server: string };
      return { server, cookie: /^CAME=[^;]+/.exec(headersOf(head)['set-cookie'] ?? '')?.[0] };
    };
    let first = await ask();
    while (first.server !== 'a') first = await ask();
    const before = world.bundle();
    world.put(sliceOf('a', { ready: false, serving: true, terminating: true }));
    expect(await world.changeFrom(before)).not.toContain('server_del');
    for (let i = 0; i < 4; i++) {
      expect((await ask(first.cookie)).server).toBe('a');
      expect((await ask()).server).toBe('b');
    }
    const draining = world.bundle();
    world.put(sliceOf('a', { ready: false, serving: false, terminating: true }));
    await world.changeFrom(draining);
    expect((await ask(first.cookie)).server).toBe('b');
  });
});

describeEachLine('endpoints that go elsewhere', (line) => {
  it('serve their new Service alone, and a Service loses all and gets others, without a reload', async () => {
    const sliceOf = (name: string, server: 'a' | 'b', ...pods: readonly string[]) =>
      endpointSlice({
        service: name,
        ports: [{ port: pool.at(server).port }],
        endpoints: pods.map((pod) => ({ address: pool.at(server).host, pod })),
      });
    const names = ['first', 'second'];
    const world = await startIngressTraffic(line, [
      ...names.flatMap((name) => [
        service({ name }),
        ingress({ name, rules: [{ host: `${name}.example.com`, paths: [{ path: '/', service: name }] }] }),
      ]),
      sliceOf('first', 'a', 'a'),
      sliceOf('second', 'b', 'b'),
    ]);
    const outcomes = async () => {
      const seen = names.map((name) => world.outcome({ host: `${name}.example.com` }));
      return (await Promise.all(seen)).join(' ');
    };
    const change = async (...slices: readonly ReturnType<typeof sliceOf>[]) => {
      const before = world.bundle();
      world.put(...slices);
      await world.changeFrom(before);
      return outcomes();
    };
    try {
      const reloads = await world.haproxy.reloads();
      expect(await outcomes()).toBe('a b');
      expect(await change(sliceOf('first', 'a'))).toBe('503 b');
      // The address of the pod that is gone is that of another Service's pod by now.
      expect(await change(sliceOf('second', 'a', 'a'))).toBe('503 a');
      expect(await change(sliceOf('first', 'b', 'b'))).toBe('b a');
      expect(await change(sliceOf('first', 'b'))).toBe('503 a');
      expect(await world.haproxy.reloads()).toBe(reloads);
    } finally {
      await world.stop();
    }
  });
});
