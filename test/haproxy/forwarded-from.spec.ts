import net from 'node:net';
import { expect, it } from 'vitest';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { issueCertificate } from '../fixtures/certificates.ts';
import { ingress, secret } from '../fixtures/kube-objects.ts';
import { headersOf } from '../fixtures/headers-of.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('web'));

const balancer = '127.9.0.1';
const stranger = '127.8.0.1';
const client = '203.0.113.7';

describeEachLine('proxies before HAProxy that speak HTTP', (line) => {
  const world = setUp(async () => {
    const authority = await issueCertificate({ isAuthority: true });
    return startIngressTraffic(
      line,
      [
        ...pool.objects,
        annotatedIngress('open.example.com', {}),
        annotatedIngress('only.example.com', { 'allowlist-source-range': '203.0.113.0/24' }),
        annotatedIngress('few.example.com', { 'limit-requests': '1', 'limit-period': '10m' }),
        annotatedIngress('safe.example.com', { 'ssl-redirect': 'true', hsts: 'true', 'hsts-max-age': '300' }),
        annotatedIngress('moved.example.com', { 'redirect-from': 'old.example.com' }),
        annotatedIngress('certain.example.com', { 'auth-tls-secret': 'client-ca' }),
        secret({ name: 'client-ca', type: 'Opaque', data: { 'ca.crt': authority.cert } }),
        annotatedIngress('passed.example.com', { 'ssl-passthrough': 'true' }),
        ingress({ name: 'all', rules: [{ host: '*.example.com', paths: [{ path: '/', service: 'web' }] }] }),
      ],
      {
        extraContext: {
          forwardedFrom: ['127.9.0.0/24', '2001:db8::/64'],
          forwardedHost: true,
          tls: { passthrough: true },
        },
      },
    );
  });

  const told = async (from: string, ...headers: string[]) => {
    const { headers: seen } = await world.echo({ host: 'open.example.com', from, headers });
    return ['x-forwarded-for', 'x-real-ip', 'x-forwarded-proto', 'x-forwarded-port'].map(
      (name) => seen[name],
    );
  };

  it.each<[string, string, readonly string[], readonly string[]]>([
    [
      'tell the client and its protocol',
      balancer,
      [`X-Forwarded-For: ${client}`, 'X-Forwarded-Proto: https'],
      [client, client, 'https', '443'],
    ],
    [
      'are believed of what they add alone',
      balancer,
      [`X-Forwarded-For: 192.0.2.1, ${client}`],
      [client, client, 'http', '80'],
    ],
    [
      'may stand in a row',
      balancer,
      [`X-Forwarded-For: 192.0.2.1, ${client}, 127.9.0.3,127.9.0.2`],
      [client, client, 'http', '80'],
    ],
    [
      'tell addresses of IPv6',
      balancer,
      ['X-Forwarded-For: 2001:db8:1::7'],
      ['2001:db8:1::7', '2001:db8:1::7', 'http', '80'],
    ],
    ['may say nothing', balancer, [], [balancer, balancer, 'http', '80']],
    [
      'may say nonsense',
      balancer,
      ['X-Forwarded-For: unknown', 'X-Forwarded-Proto: gopher'],
      [balancer, balancer, 'http', '80'],
    ],
    [
      'are not believed when they are others',
      stranger,
      [`X-Forwarded-For: ${client}`, 'X-Forwarded-Proto: https'],
      [`${client},${stranger}`, stranger, 'http', '80'],
    ],
  ])('%s', async (_, from, headers, expected) => {
    const seen = await told(from, ...headers);
    expect(seen.map((text) => text?.replace(/, /g, ','))).toEqual(expected);
  });

  it('are not taken for the client by lists and limits', async () => {
    const ask = (host: string, from: string, address: string) =>
      world.outcome({ host, from, headers: [`X-Forwarded-For: ${address}`] });
    expect(await ask('only.example.com', balancer, client)).toBe('web');
    expect(await ask('only.example.com', balancer, '198.51.100.7')).toBe('403');
    expect(await ask('only.example.com', stranger, client)).toBe('403');
    expect(await ask('few.example.com', balancer, '203.0.113.1')).toBe('web');
    expect(await ask('few.example.com', balancer, '203.0.113.2')).toBe('web');
    expect(await ask('few.example.com', balancer, '203.0.113.1')).toBe('429');
  });

  it('may have ended TLS: no redirect to HTTPS, and what is said of HTTPS counts', async () => {
    const ask = async (host: string, from: string, proto?: string) => {
      const { status, head } = await world.request({
        host,
        from,
        headers: proto === undefined ? [] : [`X-Forwarded-Proto: ${proto}`],
      });
      const { location, 'strict-transport-security': hsts } = headersOf(head);
      return [status, location, hsts];
    };
    const redirect = [308, 'https://safe.example.com/', undefined];
    expect(await ask('safe.example.com', balancer, 'https')).toEqual([200, undefined, 'max-age=300']);
    expect(await ask('safe.example.com', balancer, 'http')).toEqual(redirect);
    expect(await ask('safe.example.com', balancer)).toEqual(redirect);
    expect(await ask('safe.example.com', stranger, 'https')).toEqual(redirect);
    expect(await ask('old.example.com', balancer, 'https')).toEqual([
      308,
      'https://moved.example.com/',
      undefined,
    ]);
    // Nobody has seen a certificate of the client, whoever ended TLS.
    expect((await ask('certain.example.com', balancer, 'https'))[0]).toBe(403);
    expect((await ask('certain.example.com', balancer, 'http'))[0]).toBe(308);
    // Nobody else's routes are served for a host that is handed on.
    expect((await ask('passed.example.com', balancer, 'https'))[0]).toBe(308);
  });

  it('share a connection among clients', async () => {
    const socket = net.connect({ ...world.http, localAddress: balancer });
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    for (const [address, end] of [
      [client, 'keep-alive'],
      ['198.51.100.7', 'keep-alive'],
      [client, 'close'],
    ] as const)
      socket.write(
        `GET / HTTP/1.1\r\nHost: only.example.com\r\nX-Forwarded-For: ${address}\r\nConnection: ${end}\r\n\r\n`,
      );
    await new Promise((resolve) => socket.once('close', resolve));
    expect(text.match(/(?<=HTTP\/1\.1 )\d{3}/g)).toEqual(['200', '403', '200']);
  });
});
