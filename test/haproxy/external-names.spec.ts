import { isIP } from 'node:net';
import { expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { addressRules } from '../../src/projections/endpoints/address-rules.ts';
import { judgeAddress } from '../../src/projections/endpoints/judge-address.ts';
import { startDnsServer } from '../fixtures/dns-server.ts';
import { describeEachLine, type HaproxyLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { endpointSlice, ingress, service } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('a', 'b'));
const dns = setUp(() => startDnsServer());

/** An Ingress at `<name>.example.com` and an ExternalName Service, which leads to the port of an echo server. */
function external(name: string, externalName: string, port = pool.at('a').port) {
  return [
    ingress({
      name,
      rules: [{ host: `${name}.example.com`, paths: [{ path: '/', service: name, port }] }],
    }),
    service({ name, type: 'ExternalName', externalName, ports: [], selector: null }),
  ];
}

const at = (name: string) => ({ host: `${name}.example.com`, target: '/' });

function start(line: HaproxyLine, objects: readonly KubeObject[], allowed: string) {
  return startIngressTraffic(line, objects, {
    extraContext: { resolvers: { nameservers: [dns.address], hold: '1ms' } },
    externalNames: {
      enabled: true,
      allowedNames: ['trusted.internal.test', '*.shop.svc.cluster.local'],
      clusterDomain: 'cluster.local',
      rules: addressRules([allowed, '10.77.0.0/16']),
    },
  });
}

describeEachLine('external names', (line) => {
  const world = setUp(async () => {
    const { host } = pool.at('a');
    dns.set('api.test', host);
    dns.set('loopback.test', '127.255.255.254');
    dns.set('loopback6.test', '::1');
    dns.set('mapped.test', `::ffff:${host}`);
    dns.set('metadata.test', '169.254.169.254');
    dns.set('metadata6.test', 'fd00:ec2::254');
    dns.set('private.test', '10.1.2.3');
    dns.set('trusted.internal.test', '10.1.2.3');
    dns.set('empty.test');
    return start(
      line,
      [
        ...external('api', 'API.test.'),
        ...external('loopback', 'loopback.test'),
        ...external('loopback6', 'loopback6.test'),
        ...external('mapped', 'mapped.test'),
        ...external('metadata', 'metadata.test'),
        ...external('metadata6', 'metadata6.test'),
        ...external('private', 'private.test'),
        ...external('trusted', 'trusted.internal.test', 1),
        ...external('empty', 'empty.test'),
        ...external('missing', 'missing.test'),
        ...external('local', 'localhost'),
        ...external('cluster', 'kubernetes.default.svc.cluster.local'),
        ...external('literal', host),
        ...external('literal-loopback', '127.255.255.254'),
        endpointSlice({
          service: 'missing',
          ports: [{ port: pool.at('b').port }],
          endpoints: [{ address: pool.at('b').host }],
        }),
      ],
      `${host}/32`,
    );
  });

  it('are resolved when a request comes, and asked by the host of the client', async () => {
    const { server, headers } = await world.echo(at('api'));
    expect(server).toBe('a');
    expect(headers).toMatchObject({ host: 'api.example.com' });
  });

  it('NGX#55: a literal address is one server, and no name', async () => {
    expect(await world.outcome(at('literal'))).toBe('a');
    expect(dns.asked()).not.toContain(pool.at('a').host);
  });

  it.each(['loopback', 'loopback6', 'mapped', 'metadata', 'metadata6', 'private'])(
    'NGX#55: a name that resolves to where nobody should get is not followed: %s',
    async (name) => {
      const { status, body } = await world.request(at(name));
      expect([status, body]).toEqual([503, 'the name has an address that is not allowed\n']);
    },
  );

  it('lets a trusted name have a private address', async () => {
    const { body } = await world.request(at('trusted'));
    expect(body).not.toContain('not allowed');
  });

  it.each(['local', 'cluster', 'literal-loopback'])(
    'NGX#55: a name that is refused as such has no server: %s',
    async (name) => {
      expect(await world.outcome(at(name))).toBe('503');
      expect(dns.asked()).not.toContain('kubernetes.default.svc.cluster.local');
    },
  );

  it.each(['empty', 'missing'])(
    'HT#10: answers 503 for a name without an address, whatever slices are left over: %s',
    async (name) => {
      const { status, body } = await world.request(at(name));
      expect([status, body]).toEqual([503, 'the name has no address\n']);
    },
  );

  it('follows a name to another address, and not to one that is refused (DNS rebinding)', async () => {
    dns.set('moving.test', pool.at('a').host);
    const before = world.bundle();
    world.put(...external('moving', 'moving.test'));
    if (line.line === '3.4') await world.changeFrom(before);
    else await world.deploy();
    expect(await world.outcome(at('moving'))).toBe('a');
    dns.set('moving.test', '127.0.0.1');
    await expect.poll(() => world.request(at('moving')).then(({ body }) => body)).toContain('not allowed');
    dns.set('moving.test', pool.at('a').host);
    await expect.poll(() => world.outcome(at('moving'))).toBe('a');
    world.remove(...external('moving', 'moving.test'));
    await world.deploy();
  });

  it('are asked for whatever else is said of the route, and their servers are not checked', async () => {
    const name = 'checked';
    const annotations = { 'haproxy-haptic.org/health-check-uri': '/healthz' };
    const before = world.bundle();
    world.put(...external(name, 'api.test'));
    const [route] = external(name, 'api.test');
    if (route === undefined) throw new Error('no route');
    world.put({ ...route, metadata: { ...route.metadata, annotations } });
    expect(world.bundle().plan.id).not.toBe(before.plan.id);
    await world.deploy();
    expect(world.bundle().problems).toEqual(before.problems);
    expect(await world.outcome(at(name))).toBe('a');
    const state = await world.haproxy.cli('show stat');
    expect(state).not.toMatch(/^shop_checked_[^,]*,external,.*,(DOWN|L4|L7)/m);
    world.remove(...external(name, 'api.test'));
    await world.deploy();
  });

  it('ends what leads back to HAProxy', async () => {
    const looping = await start(line, [], '127.0.0.0/8');
    try {
      dns.set('loop.test', looping.http.host);
      looping.put(...external('loop', 'loop.test', looping.http.port));
      await looping.deploy();
      const { status, body } = await looping.request(at('loop'));
      expect([status, body]).toEqual([508, 'a loop\n']);
    } finally {
      await looping.stop();
    }
  });

  it('has rules of addresses that mean to HAProxy what they mean here', async () => {
    const rules = addressRules([`${pool.at('a').host}/32`, '10.77.0.0/16']);
    const addresses = rules.flatMap(({ network }) => {
      const [first = ''] = network.split('/');
      // The last digit may not leave room for another one: 254.
      return [first, first.replace(/\d$/, '9')].filter((address) => isIP(address) !== 0);
    });
    addresses.push(
      '93.184.215.14',
      '::ffff:93.184.215.14',
      '2606:2800:21f::1',
      '64:ff9b::5db8:d70e',
      '::ffff:10.0.0.1',
    );
    const maps = await world.haproxy.cli('show map');
    const [, id = ''] = /^(\d+) .*external-networks\.map/m.exec(maps) ?? [];
    for (const address of addresses) {
      const answer = await world.haproxy.cli(`get map #${id} ${address}`);
      const [, verdict = 'public'] = /val(?:ue)?="([a-z]+)"/.exec(answer) ?? [];
      expect([address, verdict]).toEqual([address, judgeAddress(rules, address)]);
    }
  });
});
