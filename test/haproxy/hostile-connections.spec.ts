import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import type { HaproxyLine } from '../fixtures/haproxy-lines.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { freeAddress } from '../fixtures/haproxy-process.ts';
import { type IngressTraffic, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { endpointSlice, ingress, service } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

/** What a server got of one connection, byte for byte, and what it says to all of it. */
interface Obliging {
  readonly port: number;
  readonly heard: () => string;
  readonly stop: () => void;
}

/** Takes every method and every protocol that it is asked to change to, as some servers do. */
async function startObliging(): Promise<Obliging> {
  let heard = '';
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      heard += text;
      const protocol = /^upgrade: (\S+)/im.exec(text)?.[1];
      socket.write(
        protocol === undefined
          ? 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
          : `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${protocol}\r\n\r\n`,
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as net.AddressInfo).port,
    heard: () => {
      const all = heard;
      heard = '';
      return all;
    },
    stop: () => server.close(),
  };
}

describeEachLine('what clients say of their connection', (line) => {
  const server = setUp(() => startObliging());
  const h2 = setUp(() => freeAddress());
  const world = setUp(() => startWorld(line, server.port, h2));

  /** What a client reads that sends one request and, once there is an answer, what it would like to have looked at by nobody. */
  const ask = async (...lines: readonly string[]): Promise<string> => {
    const socket = net.connect(world.http.port, world.http.host);
    let read = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => (read += chunk.toString('latin1')));
    socket.write([...lines, '', ''].join('\r\n'));
    await once(socket, 'data');
    if (!socket.destroyed) socket.end('GET /admin HTTP/1.1\r\nHost: shop.example.com\r\n\r\n');
    await once(socket, 'close');
    return read;
  };
  const host = 'Host: shop.example.com';

  it('a path that is closed to everybody is closed', async () => {
    expect(await ask('GET /admin HTTP/1.1', host)).toContain('403 Forbidden');
    expect(server.heard()).toBe('');
  });

  it('CONNECT opens no tunnel, in which nobody would look at requests', async () => {
    for (const target of ['shop.example.com:80', 'shop.example.com:443']) {
      expect(await ask(`CONNECT ${target} HTTP/1.1`, host)).toMatch(/^HTTP\/1\.1 400 /);
      expect(server.heard()).toBe('');
    }
    const session = http2.connect(`http://${h2.host}:${h2.port}`);
    const stream = session.request({ ':method': 'CONNECT', ':authority': 'shop.example.com:80' });
    const [answer] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
    session.destroy();
    expect(answer[':status']).toBe(400);
    expect(server.heard()).toBe('');
  });

  it.each(['h2c', 'H2C', 'h2', 'websocket, h2c'])(
    'nobody changes to HTTP/2 within a request: %s',
    async (protocol) => {
      const key = ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'];
      const change = [
        'Connection: Upgrade, HTTP2-Settings',
        `Upgrade: ${protocol}`,
        'HTTP2-Settings: AAMAAABk',
      ];
      await ask('GET / HTTP/1.1', host, ...key, ...change);
      expect(server.heard()).not.toMatch(/^upgrade:.*h2/im);
    },
  );

  it('a target without a path is a URL that ends with the host, or *', async () => {
    const whole = 'http://shop.example.com';
    for (const target of [
      '*',
      'admin',
      '*/admin',
      'shop.example.com/admin',
      '?/admin',
      'http:admin',
      `${whole}?/admin`,
    ]) {
      expect(await ask(`GET ${target} HTTP/1.1`, host)).toMatch(/^HTTP\/1\.1 400 /i);
      expect(server.heard()).toBe('');
    }
    expect(await ask(`GET ${whole} HTTP/1.1`, host)).toContain(' 200 ');
    expect(server.heard()).toMatch(/^GET (http:\/\/shop\.example\.com)?\/ /);
    expect(await ask('OPTIONS * HTTP/1.1', host)).toContain(' 200 ');
  });

  describe('names of headers in Connection', () => {
    // RFC 9110, 7.6.1: whoever passes on a request takes out what is named there, so the next proxy would take out what HAProxy says.
    it('have no proxy behind HAProxy take out what HAProxy says', async () => {
      for (const connection of [
        'X-Forwarded-For, X-Forwarded-Proto',
        'close, X-Forwarded-For',
        'x-tenant',
        'keep-alive,, x-tenant',
        'TE\r\nConnection: X-Tenant',
      ]) {
        await ask('GET / HTTP/1.1', host, `Connection: ${connection}`);
        const [heard = ''] = server.heard().split('\r\n\r\n');
        expect(heard).toMatch(/^x-tenant: blue$/m);
        expect(heard).not.toMatch(/^connection:/im);
      }
    });

    it('go, where the connection is to be upgraded', async () => {
      await ask('GET / HTTP/1.1', host, 'Connection: Upgrade, X-Tenant', 'Upgrade: other/1.0');
      const [heard = ''] = server.heard().split('\r\n\r\n');
      expect(heard.match(/^connection: .*$/gim)).toEqual(['connection: upgrade']);
      expect(heard).toMatch(/^upgrade: other\/1\.0$/m);
    });
  });
});

function startWorld(
  line: HaproxyLine,
  port: number,
  h2: { readonly host: string; readonly port: number },
): Promise<IngressTraffic> {
  const closed = { 'haproxy-haptic.org/denylist-source-range': '0.0.0.0/0' };
  return startIngressTraffic(
    line,
    [
      service({ name: 'web' }),
      endpointSlice({ service: 'web', ports: [{ port }], endpoints: [{ address: '127.0.0.1' }] }),
      annotatedIngress('shop.example.com', { headers: 'X-Tenant: blue' }),
      ingress({
        name: 'closed',
        annotations: closed,
        rules: [{ host: 'shop.example.com', paths: [{ path: '/admin', service: 'web' }] }],
      }),
    ],
    { snippets: { 'frontend-http-900-h2c': `    bind ${h2.host}:${h2.port} proto h2\n` } },
  );
}
