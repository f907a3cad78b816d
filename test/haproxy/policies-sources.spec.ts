import { expect, it } from 'vitest';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { freeAddress } from '../fixtures/haproxy-process.ts';
import { rawRequest } from '../fixtures/raw-http.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('web'));

/** The header of PROXY protocol, version 1, that says who the client is. */
const proxied = (client: string) =>
  client.includes(':')
    ? `PROXY TCP6 ${client} ::1 5000 80\r\n`
    : `PROXY TCP4 ${client} 127.0.0.1 5000 80\r\n`;

const cases: readonly {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
}[] = [
  {
    name: 'one-network',
    annotations: { 'allowlist-source-range': '10.0.0.0/8' },
    allowed: ['10.0.0.0', '10.255.255.255', '::ffff:10.1.2.3'],
    denied: [
      '9.255.255.255',
      '11.0.0.0',
      '::a01:203',
      '::10.1.2.3',
      '::ffff:0:10.1.2.3',
      'a00::1',
      '::ffff:11.0.0.1',
    ],
  },
  {
    // The network of one is written as the address of the other, cut to its length.
    name: 'several-lengths',
    annotations: { 'allowlist-source-range': '10.0.0.0/24 11.0.0.0/8, 192.0.2.7' },
    allowed: ['10.0.0.255', '11.22.33.44', '192.0.2.7'],
    denied: ['10.0.1.0', '10.9.9.9', '12.0.0.1', '192.0.2.8'],
  },
  {
    name: 'all-of-ipv4',
    annotations: { 'allowlist-source-range': '0.0.0.0/0' },
    allowed: ['1.2.3.4', '::ffff:1.2.3.4'],
    denied: ['fd00::1', '::1'],
  },
  {
    name: 'all-of-ipv6',
    annotations: { 'allowlist-source-range': '::/0' },
    allowed: ['fd00::1', '::1', '2001:db8::1'],
    denied: ['1.2.3.4', '::ffff:1.2.3.4'],
  },
  {
    name: 'ipv6',
    annotations: {
      'allowlist-source-range':
        'FD00::/8, 2001:db8:0:1:0:0:0:9/128, 2001:db8:0:0:1::/80, ::1, 2001:0db8:1:0:1:1:1:0/112',
    },
    allowed: ['fd12::1', '2001:db8:0:1::9', '2001:db8::1:0:0:7', '::1', '2001:db8:1:0:1:1:1:ffff'],
    denied: ['fe00::1', '2001:db8:0:1::8', '2001:db8::2:0:0:7', '::2', '253.0.0.1', '2001:db8:1::1:1:2:1'],
  },
  {
    name: 'mapped',
    annotations: { 'allowlist-source-range': '::ffff:10.1.0.0/112' },
    allowed: ['10.1.2.3', '::ffff:10.1.2.3'],
    denied: ['10.2.0.1'],
  },
  {
    name: 'denied',
    annotations: { 'denylist-source-range': '10.0.0.0/8, fd00::/16' },
    allowed: ['11.0.0.1', 'fd01::1'],
    denied: ['10.1.2.3', '::ffff:10.1.2.3', 'fd00:0:1::1'],
  },
  {
    name: 'both',
    annotations: { 'allowlist-source-range': '10.0.0.0/8', 'denylist-source-range': '10.66.0.0/16' },
    allowed: ['10.65.0.1', '10.67.0.1'],
    denied: ['10.66.0.1', '11.0.0.1'],
  },
  {
    name: 'malformed',
    annotations: { 'allowlist-source-range': '10.0.0.0/8, 10.0.0.0/33' },
    allowed: [],
    denied: ['10.0.0.1'],
  },
];

describeEachLine('allowed and denied addresses', (line) => {
  const bind = setUp(() => freeAddress());
  const world = setUp(() =>
    startIngressTraffic(
      line,
      [
        ...pool.objects,
        ...cases.map(({ name, annotations }) => annotatedIngress(`${name}.example.com`, annotations)),
        annotatedIngress('open.example.com', {}),
      ],
      { snippets: { 'frontend-http-900-proxied': `    bind ${bind.host}:${bind.port} accept-proxy\n` } },
    ),
  );
  const statusFor = async (name: string, client: string, headers: readonly string[] = []) => {
    const { status } = await rawRequest(bind, {
      host: `${name}.example.com`,
      before: proxied(client),
      headers,
    });
    return status;
  };
  const outcomes = (name: string, clients: readonly string[]) =>
    Promise.all(clients.map(async (client) => `${client} ${await statusFor(name, client)}`));

  it.each(cases)('$name: $annotations', async ({ name, allowed, denied }) => {
    const closed = name === 'malformed' ? 503 : 403;
    expect(await outcomes(name, allowed)).toEqual(allowed.map((client) => `${client} 200`));
    expect(await outcomes(name, denied)).toEqual(denied.map((client) => `${client} ${closed}`));
    expect(await statusFor('open', '10.66.0.1')).toBe(200);
  });

  it('believes no header about who the client is', async () => {
    const claims = ['X-Forwarded-For: 10.0.0.1', 'X-Real-IP: 10.0.0.1', 'Forwarded: for=10.0.0.1'];
    expect(await statusFor('one-network', '11.0.0.1', claims)).toBe(403);
  });

  it('takes other networks of known lengths without a reload', async () => {
    world.put(annotatedIngress('one-network.example.com', { 'allowlist-source-range': '44.0.0.0/8' }));
    expect(new Set(await world.changeFrom(world.started)).size).toBeGreaterThan(0);
    expect(await outcomes('one-network', ['44.1.2.3', '10.0.0.1'])).toEqual(['44.1.2.3 200', '10.0.0.1 403']);
  });
});
