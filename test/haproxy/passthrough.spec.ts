import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { bundleFile } from '../fixtures/ingress-renderer.ts';
import { createCertificatePool, rootRule } from '../fixtures/certificate-pool.ts';
import { issueCertificate } from '../fixtures/certificates.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { endpointSlice, ingress, type IngressOptions, service } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';
import { startTlsEcho, type TlsEcho, type TlsEchoAnswer } from '../fixtures/tls-echo.ts';

const pool = setUp(() => startEchoPool('root'));
const certificates = setUp(() => createCertificatePool());
const inner = setUp(() => issueCertificate({ names: ['inner.example'] }));
const echo = setUp(() => startTlsEcho('echo', { certificate: inner }));
const other = setUp(() => startTlsEcho('other', { certificate: inner }));

const challenge = '/.well-known/acme-challenge';
const passing = { 'haproxy-haptic.org/ssl-passthrough': 'true' };

function serviceAt(name: string, { host, port }: TlsEcho): readonly KubeObject[] {
  return [
    service({ name }),
    endpointSlice({ service: name, ports: [{ port }], endpoints: [{ address: host, pod: name }] }),
  ];
}

const passed = (name: string, host: string, to = 'inner', more: IngressOptions = {}) =>
  ingress({
    name,
    annotations: passing,
    rules: [{ host, paths: [{ path: '/', service: to }] }],
    ...more,
  });

describeEachLine('TLS passthrough', (line) => {
  const world = setUp(() =>
    startIngressTraffic(
      line,
      [
        ...pool.objects,
        ...serviceAt('inner', echo),
        ...serviceAt('second', other),
        certificates.secretOf('fallback'),
        certificates.secretOf('shop'),
        passed('passed', 'passed.example.com'),
        passed('wild', '*.wild.example.com'),
        ingress({
          name: 'shop',
          rules: [rootRule('shop.example.com'), rootRule('shop.wild.example.com')],
          tls: [{ hosts: ['shop.example.com', 'shop.wild.example.com'], secretName: 'shop' }],
        }),
        passed('older', 'contested.example.com', 'inner', { created: '2026-01-01T00:00:00Z' }),
        ingress({
          name: 'younger',
          created: '2026-01-02T00:00:00Z',
          rules: [rootRule('contested.example.com'), rootRule('kept.example.com')],
        }),
        passed('late', 'kept.example.com', 'inner', { created: '2026-01-03T00:00:00Z' }),
        // Would hand on, and has no path / to do it with.
        ingress({
          name: 'empty',
          namespace: 'third',
          created: '2026-01-01T00:00:00Z',
          annotations: passing,
          rules: [{ host: 'kept.example.com', paths: [{ path: '/x', service: 'inner' }] }],
        }),
        passed('lone', 'lone.example.com'),
        // Paths of passed hosts, by its owner and by strangers.
        ingress({
          name: 'solver',
          rules: [{ host: 'passed.example.com', paths: [{ path: `${challenge}/own`, service: 'root' }] }],
        }),
        ...serviceAt('inner', other).map((object) => ({
          ...object,
          metadata: { ...object.metadata, namespace: 'third' },
        })),
        ingress({
          name: 'stranger',
          namespace: 'third',
          rules: [
            { host: 'passed.example.com', paths: [{ path: challenge, service: 'inner' }] },
            { host: '*.example.com', paths: [{ path: challenge, service: 'inner' }] },
          ],
        }),
        ingress({ name: 'any', rules: [rootRule()] }),
      ],
      {
        defaultCertificates: [{ namespace: 'shop', name: 'fallback' }],
        extraContext: { tls: { passthrough: true } },
      },
    ),
  );

  const ask = async (servername: string, host = servername, localAddress?: string) => {
    const request = https.request({
      ...world.https,
      servername,
      headers: { host },
      rejectUnauthorized: false,
      agent: false,
      ...(localAddress !== undefined && { localAddress }),
    });
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    return response.statusCode === 200
      ? (JSON.parse(body) as TlsEchoAnswer & { readonly headers?: Readonly<Record<string, string>> })
      : response.statusCode;
  };
  const certificateOf = async (servername: string) => {
    const socket = tls.connect({ ...world.https, servername, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const serial = socket.getPeerX509Certificate()?.serialNumber;
    socket.destroy();
    if (serial === inner.serialNumber) return 'inner';
    return serial === certificates.certificateOf('shop').serialNumber ? 'shop' : 'fallback';
  };

  it('hands connections on by the host that the client asks for, beside hosts that are served', async () => {
    expect(await ask('passed.example.com')).toMatchObject({
      server: 'echo',
      servername: 'passed.example.com',
    });
    expect(await ask('PASSED.example.com')).toMatchObject({ server: 'echo' });
    expect(await ask('x.wild.example.com')).toMatchObject({ server: 'echo' });
    expect(await certificateOf('passed.example.com')).toBe('inner');
    expect(await ask('shop.example.com')).toMatchObject({ server: 'root' });
    expect(await certificateOf('shop.example.com')).toBe('shop');
    // A host that is named itself goes before the wildcard; two labels are not below it.
    expect(await certificateOf('shop.wild.example.com')).toBe('shop');
    expect(await certificateOf('a.b.wild.example.com')).toBe('fallback');
    expect(await certificateOf('unknown.example.com')).toBe('fallback');
  });

  it('leaves a host to the oldest object that names it', async () => {
    expect(await certificateOf('contested.example.com')).toBe('inner');
    expect(await certificateOf('kept.example.com')).toBe('fallback');
    expect(await ask('kept.example.com')).toMatchObject({ server: 'root' });
  });

  it('lets nobody but the owner of a host answer for it over HTTP', async () => {
    const over = (host: string, target: string) => world.request({ host, target });
    expect((await over('passed.example.com', '/')).status).toBe(308);
    expect((await over('passed.example.com', `${challenge}/own`)).status).toBe(200);
    expect((await over('passed.example.com', `${challenge}/other`)).status).toBe(404);
    expect((await over('lone.example.com', `${challenge}/any`)).status).toBe(404);
    expect((await over('shop.example.com', `${challenge}/any`)).status).toBe(200);
  });

  it('keeps the address of clients whose connections are not handed on', async () => {
    expect(await ask('shop.example.com', 'shop.example.com', '127.9.8.7')).toMatchObject({
      headers: { 'x-forwarded-for': '127.9.8.7', 'x-forwarded-proto': 'https' },
    });
  });

  it('serves nothing of such a host itself: HTTP goes to HTTPS, and a forged Host elsewhere', async () => {
    const request = http.request({
      ...world.http,
      headers: { host: 'passed.example.com' },
      path: '/a?b',
      agent: false,
    });
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    expect([response.statusCode, response.headers['location']]).toEqual([
      308,
      'https://passed.example.com/a?b',
    ]);
    expect(await ask('shop.example.com', 'passed.example.com')).toBe(421);
    expect(await ask('shop.example.com', 'y.wild.example.com')).toBe(421);
    expect(await ask('shop.example.com', 'shop.wild.example.com')).toMatchObject({ server: 'root' });
  });

  it('answers clients that speak no TLS, or are long silent, as HTTPS does', async () => {
    const socket = net.connect(world.https);
    socket.write('GET / HTTP/1.1\r\nhost: passed.example.com\r\n\r\n');
    await once(socket, 'close');
    const slow = net.connect(world.https);
    slow.write(Buffer.from([0x16, 0x03, 0x01]));
    await once(slow, 'connect');
    slow.destroy();
    expect(await ask('passed.example.com')).toMatchObject({ server: 'echo' });
  });

  it('takes no reload for hosts and endpoints that come and go, but for backends before HAProxy 3.4', async () => {
    const reloads = await world.haproxy.reloads();
    let before = await world.deploy();
    world.put(passed('again', 'again.example.com'));
    expect(await world.changeFrom(before)).toEqual(['map_add', 'map_add', 'map_add']);
    expect(await ask('again.example.com')).toMatchObject({ server: 'echo' });
    before = await world.deploy();
    // The last endpoint goes (a host is no less passed through for that), and comes back.
    const frontends = (text: string) =>
      text.split('\n').filter((row) => /^(frontend|backend|\s+bind)/.test(row));
    const shape = frontends(bundleFile(before, 'haproxy.cfg'));
    world.put(endpointSlice({ service: 'inner', endpoints: [] }));
    expect(await world.changeFrom(before)).toContain('server_del');
    await expect(ask('passed.example.com')).rejects.toThrow();
    expect(await ask('shop.example.com')).toMatchObject({ server: 'root' });
    before = await world.deploy();
    expect(frontends(bundleFile(before, 'haproxy.cfg'))).toEqual(shape);
    world.put(...serviceAt('inner', echo));
    expect(await world.changeFrom(before)).toContain('server_add');
    expect(await ask('passed.example.com')).toMatchObject({ server: 'echo' });
    before = await world.deploy();
    world.put(passed('second', 'second.example.com', 'second'));
    if (line.line === '3.4') {
      expect(await world.changeFrom(before)).toContain('backend_add');
      expect(await ask('second.example.com')).toMatchObject({ server: 'other' });
    } else
      await expect(world.changeFrom(before)).rejects.toThrow('a reload: backend shop_second_80_tcp: new');
    expect(await world.haproxy.reloads()).toBe(reloads + 4);
  });
});

describeEachLine('TLS passthrough that is not switched on', (line) => {
  it('serves such hosts to nobody, whatever wildcards and rules for every host others have', async () => {
    const world = await startIngressTraffic(
      line,
      [
        ...pool.objects,
        ...serviceAt('inner', echo),
        certificates.secretOf('fallback'),
        passed('passed', 'passed.example.com'),
        passed('wild', '*.wild.example.com'),
        ingress({ name: 'shop', rules: [rootRule('shop.example.com'), rootRule('shop.wild.example.com')] }),
        ingress({ name: 'all', rules: [rootRule('*.example.com')] }),
        ingress({ name: 'any', rules: [rootRule()] }),
        ...serviceAt('inner', other).map((object) => ({
          ...object,
          metadata: { ...object.metadata, namespace: 'third' },
        })),
        ingress({
          name: 'stranger',
          namespace: 'third',
          rules: [{ host: 'passed.example.com', paths: [{ path: challenge, service: 'inner' }] }],
        }),
      ],
      { defaultCertificates: [{ namespace: 'shop', name: 'fallback' }] },
    );
    const secure = async (host: string) => {
      const options = { servername: host, headers: { host }, rejectUnauthorized: false, agent: false };
      const request = https.request({ ...world.https, ...options });
      request.end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    try {
      for (const host of ['passed.example.com', 'x.wild.example.com']) {
        expect(await world.outcome({ host })).toBe('503');
        expect(await world.outcome({ host, target: `${challenge}/token` })).toBe('503');
        expect(await secure(host)).toBe(503);
      }
      for (const host of ['shop.example.com', 'shop.wild.example.com', 'x.example.com', 'example.org']) {
        expect(await world.outcome({ host })).toBe('root');
        expect(await secure(host)).toBe(200);
      }
    } finally {
      await world.stop();
    }
  });
});

describeEachLine('the PROXY protocol of load balancers', (line) => {
  it.each([false, true])(
    'is taken from those that are trusted alone (passthrough: %s)',
    async (passthrough) => {
      const world = await startIngressTraffic(
        line,
        [
          ...pool.objects,
          certificates.secretOf('fallback'),
          ingress({ name: 'shop', rules: [rootRule('shop.example.com')] }),
        ],
        {
          defaultCertificates: [{ namespace: 'shop', name: 'fallback' }],
          extraContext: { proxyProtocolFrom: ['127.77.0.0/16', 'fd00::/8'], tls: { passthrough } },
        },
      );
      const header = 'PROXY TCP4 192.0.2.9 192.0.2.1 5555 80\r\n';
      const secure = async (from: string, first: string) => {
        const plain = net.connect({ ...world.https, localAddress: from });
        plain.write(first);
        const socket = tls.connect({
          socket: plain,
          servername: 'shop.example.com',
          rejectUnauthorized: false,
        });
        const failed = once(socket, 'error').then(() => 'refused');
        const served = (async () => {
          await once(socket, 'secureConnect');
          socket.write('GET / HTTP/1.1\r\nhost: shop.example.com\r\nconnection: close\r\n\r\n');
          const chunks: Buffer[] = [];
          for await (const chunk of socket) chunks.push(chunk as Buffer);
          return /"x-forwarded-for":"([^"]*)"/.exec(Buffer.concat(chunks).toString())?.[1] ?? 'nothing';
        })();
        served.catch(() => undefined);
        const outcome = await Promise.race([failed, served]);
        socket.destroy();
        return outcome;
      };
      const plain = (from: string, before: string) =>
        world.echo({ host: 'shop.example.com', from, before }).then(
          ({ headers }) => headers['x-forwarded-for'],
          () => 'refused',
        );
      try {
        expect(await plain('127.77.1.1', header)).toBe('192.0.2.9');
        expect(await plain('127.77.1.1', '')).toBe('refused');
        expect(await plain('127.78.1.1', '')).toBe('127.78.1.1');
        expect(await plain('127.78.1.1', header)).toBe('refused');
        expect(await secure('127.77.1.1', header)).toBe('192.0.2.9');
        expect(await secure('127.77.1.1', '')).toBe('refused');
        expect(await secure('127.78.1.1', '')).toBe('127.78.1.1');
        expect(await secure('127.78.1.1', header)).toBe('refused');
      } finally {
        await world.stop();
      }
    },
  );
});
