import { expect, it } from 'vitest';
import { prefixed } from '../fixtures/prefixed.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { ingress } from '../fixtures/kube-objects.ts';
import type { RawRequest } from '../fixtures/raw-http.ts';
import { setUp } from '../fixtures/set-up.ts';

/** An Ingress of its own for a host, with annotations of ours. */
const withAnnotations = (host: string, annotations: Readonly<Record<string, string>>) =>
  ingress({
    name: host.replace('.example.com', ''),
    annotations: prefixed(annotations),
    rules: [{ host, paths: [{ path: '/', service: 'web' }] }],
  });

const pool = setUp(() => startEchoPool('web'));

function headersOf(head: string): Record<string, string> {
  const lines = head.split('\r\n').slice(1);
  return Object.fromEntries(
    lines.map(
      (line) => [(line.split(':', 1)[0] ?? '').toLowerCase(), line.replace(/^[^:]*: */, '')] as const,
    ),
  );
}

describeEachLine('CORS', (line) => {
  const world = setUp(() =>
    startIngressTraffic(line, [
      ...pool.objects,
      withAnnotations('any.example.com', { 'cors-enable': 'true' }),
      withAnnotations('some.example.com', {
        'cors-enable': 'true',
        'cors-allow-origin': 'https://app.example.com, https://*.example.org:8443',
        'cors-allow-methods': 'GET, PUT',
        'cors-allow-headers': 'X-One, X-Two',
        'cors-expose-headers': 'X-Seen',
        'cors-allow-credentials': 'true',
        'cors-max-age': '77',
      }),
      withAnnotations('off.example.com', { 'cors-enable': 'false', 'cors-max-age': '5' }),
      withAnnotations('none.example.com', {}),
    ]),
  );
  const ask = async (host: string, origin: string, more: Partial<RawRequest> = {}) => {
    const headers = [`Origin: ${origin}`, ...(more.headers ?? [])];
    const { status, head } = await world.request({ host, ...more, headers });
    const all = headersOf(head);
    const cors = Object.entries(all).filter(([name]) => /^(access-control-|vary$)/.test(name));
    return { status, ...Object.fromEntries(cors) };
  };
  const preflight = { method: 'OPTIONS', headers: ['Access-Control-Request-Method: PUT'] };

  it('lets every origin in by default', async () => {
    expect(await ask('any.example.com', 'https://app.example.com')).toEqual({
      status: 200,
      'access-control-allow-origin': '*',
    });
  });

  it('answers a preflight itself', async () => {
    expect(
      await ask('any.example.com', 'https://app.example.com', {
        ...preflight,
        headers: [...preflight.headers, 'Access-Control-Request-Headers: x-a,x-b'],
      }),
    ).toEqual({
      status: 204,
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, PUT, POST, DELETE, PATCH, OPTIONS',
      'access-control-allow-headers': 'x-a,x-b',
      'access-control-max-age': '86400',
    });
  });

  it.each(['https://app.example.com', 'https://a.example.org:8443'])(
    'names the origin %s',
    async (origin) => {
      expect(await ask('some.example.com', origin)).toEqual({
        status: 200,
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': 'X-Seen',
        vary: 'origin',
      });
      expect(await ask('some.example.com', origin, preflight)).toEqual({
        status: 204,
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': 'X-Seen',
        'access-control-allow-methods': 'GET, PUT',
        'access-control-allow-headers': 'X-One, X-Two',
        'access-control-max-age': '77',
        vary: 'origin',
      });
    },
  );

  it.each([
    'https://other.example.com',
    'http://app.example.com',
    'https://app.example.com.evil.org',
    'https://a.b.example.org:8443',
    'https://example.org:8443',
    'null',
    '*',
    'own',
  ])('says nothing to the origin %s', async (origin) => {
    expect(await ask('some.example.com', origin)).toEqual({ status: 200, vary: 'origin' });
    expect(await ask('some.example.com', origin, preflight)).toEqual({ status: 204, vary: 'origin' });
  });

  it.each(['off.example.com', 'none.example.com'])('leaves %s alone', async (host) => {
    expect(await ask(host, 'https://app.example.com', preflight)).toEqual({ status: 200 });
  });

  it('sends requests with OPTIONS that are no preflight to the server', async () => {
    expect(await ask('any.example.com', 'https://app.example.com', { method: 'OPTIONS' })).toMatchObject({
      status: 200,
    });
  });
});

describeEachLine('changes of policies', (line) => {
  it('take no reload where the shape is known', async () => {
    const one = withAnnotations('one.example.com', { 'cors-enable': 'true', 'timeout-server': '7s' });
    const world = await startIngressTraffic(line, [...pool.objects, one]);
    try {
      const other = withAnnotations('one.example.com', {
        'cors-enable': 'true',
        'timeout-server': '7s',
        'cors-allow-origin': 'https://x.example.com',
      });
      world.put(other);
      const kinds = await world.changeFrom(world.started);
      expect(new Set(kinds).size).toBeGreaterThan(0);
      const { head } = await world.request({
        host: 'one.example.com',
        headers: ['Origin: https://x.example.com'],
      });
      expect(headersOf(head)).toMatchObject({ 'access-control-allow-origin': 'https://x.example.com' });
    } finally {
      await world.stop();
    }
  });
});
