import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import { expect, it } from 'vitest';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { freeAddress } from '../fixtures/haproxy-process.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('web'));

const chunked = (...sizes: readonly number[]) =>
  [...sizes, 0].map((size) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`).join('');

describeEachLine('size of bodies', (line) => {
  const h2c = setUp(() => freeAddress());
  const world = setUp(() =>
    startIngressTraffic(
      line,
      [
        ...pool.objects,
        annotatedIngress('small.example.com', { 'proxy-body-size': '1k' }),
        annotatedIngress('large.example.com', { 'proxy-body-size': '30k' }),
        annotatedIngress('unlimited.example.com', { 'proxy-body-size': 'unlimited' }),
        annotatedIngress('malformed.example.com', { 'proxy-body-size': '1 MiB' }),
        annotatedIngress('free.example.com', {}),
      ],
      { snippets: { 'frontend-http-900-h2c': `    bind ${h2c.host}:${h2c.port} proto h2\n` } },
    ),
  );
  /** Some lines wait for the rest of a body after their answer, so the end of it is not waited for. */
  const send = async (host: string, headers: readonly string[], body: string) => {
    const socket = net.connect(world.http.port, world.http.host);
    socket.write(['POST / HTTP/1.1', `Host: ${host}.example.com`, ...headers, '', body].join('\r\n'));
    try {
      const [answer] = (await once(socket, 'data')) as [Buffer];
      return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer.toString('latin1'))?.[1]);
    } finally {
      socket.destroy();
    }
  };
  const told = (host: string, length: number, body = 'x'.repeat(length)) =>
    send(host, [`Content-Length: ${length}`], body);
  const untold = (host: string, ...sizes: readonly number[]) =>
    send(host, ['Transfer-Encoding: chunked'], chunked(...sizes));

  it('are as told', async () => {
    expect(await told('small', 1024)).toBe(200);
    expect(await told('small', 0)).toBe(200);
    expect(await told('small', 1025)).toBe(413);
    expect(await told('large', 30 * 1024)).toBe(200);
    expect(await told('large', 30 * 1024 + 1)).toBe(413);
  });

  // What HAProxy reads of a header's value as a number has 32 bits.
  it.each(['4294967296', '4294967297', '9223372036854775807'])('of %s bytes are refused', async (length) => {
    expect(await send('small', [`Content-Length: ${length}`, ''], '')).toBe(413);
  });

  it('that are not told in advance are counted as far as the buffer has room', async () => {
    expect(await untold('small')).toBe(200);
    expect(await untold('small', 1000, 24)).toBe(200);
    expect(await untold('small', 1000, 25)).toBe(413);
    expect(await untold('large', 2_000, 2_000)).toBe(200);
    expect([411, 413]).toContain(await untold('large', ...Array<number>(40).fill(1_000)));
  });

  it('do not matter to requests without one, and to routes without a limit', async () => {
    expect(await world.outcome({ host: 'small.example.com' })).toBe('web');
    expect(await world.outcome({ host: 'small.example.com', method: 'DELETE' })).toBe('web');
    for (const host of ['free', 'unlimited']) {
      expect(await told(host, 60_000)).toBe(200);
      expect(await untold(host, ...Array<number>(60).fill(1_000))).toBe(200);
    }
    expect(await told('malformed', 1)).toBe(503);
  });

  it('are limited over HTTP/2, where none need be told', async () => {
    const session = http2.connect(`http://${h2c.host}:${h2c.port}`);
    const post = (host: string, body: string, headers: http2.OutgoingHttpHeaders = {}) =>
      new Promise<number>((resolve, reject) => {
        const stream = session.request({
          ':method': 'POST',
          ':authority': `${host}.example.com`,
          ':path': '/',
          ...headers,
        });
        let status = 0;
        stream.on('response', (answer) => (status = answer[':status'] ?? 0));
        stream.on('error', (error: Error) => (status === 0 ? reject(error) : resolve(status)));
        stream.on('close', () => resolve(status));
        stream.resume();
        stream.end(body);
      });
    try {
      expect(await post('small', '')).toBe(200);
      expect(await post('small', 'x'.repeat(1024))).toBe(200);
      expect(await post('small', 'x'.repeat(1025))).toBe(413);
      expect(await post('large', 'x'.repeat(12_000))).toBe(200);
      expect([411, 413]).toContain(await post('large', 'x'.repeat(60_000)));
      expect(await post('large', 'x'.repeat(30_000), { 'content-length': 30_000 })).toBe(200);
      expect(await post('free', 'x'.repeat(60_000))).toBe(200);
    } finally {
      session.destroy();
    }
  });

  it('are waited for a second in calls of gRPC, which are refused in its own words, where they go on as well', async () => {
    const session = http2.connect(`http://${h2c.host}:${h2c.port}`);
    const tooMuch = { status: 200, grpc: '8', type: 'application/grpc' };
    /** Sends messages, and ends after them or not at all. */
    const call = (host: string, messages: readonly number[], ends: boolean) =>
      new Promise<Readonly<Record<string, unknown>>>((resolve, reject) => {
        const stream = session.request(
          {
            ...{ ':method': 'POST', ':path': '/shop.Cart/Watch', ':authority': `${host}.example.com` },
            ...{ 'content-type': 'application/grpc', te: 'trailers' },
          },
          { endStream: false },
        );
        stream.on('response', ({ ':status': status = 0, 'grpc-status': grpc, 'content-type': type }) => {
          resolve({ status, grpc: grpc?.toString(), ...(grpc !== undefined && { type }) });
          stream.destroy();
        });
        stream.on('error', reject);
        for (const size of messages) stream.write('x'.repeat(size));
        if (ends) stream.end();
      });
    try {
      // A call with one message, or a few, is as long as it is; RESOURCE_EXHAUSTED: it is too long.
      expect(await call('small', [500, 500], true)).toEqual({ status: 200, grpc: undefined });
      expect(await call('small', [500, 525], true)).toEqual(tooMuch);
      // Nobody knows how much would come.
      expect(await call('small', [100], false)).toEqual({ status: 408, grpc: undefined });
      expect(await call('large', Array<number>(40).fill(1_000), false)).toEqual(tooMuch);
      // Without a limit it is none of HAProxy's business.
      expect(await call('free', [100], true)).toEqual({ status: 200, grpc: undefined });
    } finally {
      session.destroy();
    }
  });
});
