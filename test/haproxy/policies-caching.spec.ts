import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { annotatedIngress as withAnnotations } from '../fixtures/annotated-ingress.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { headersOf } from '../fixtures/headers-of.ts';
import { bundleFile } from '../fixtures/ingress-renderer.ts';
import { startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { endpointSlice, ingress, secret, service } from '../fixtures/kube-objects.ts';
import type { RawRequest } from '../fixtures/raw-http.ts';
import { setUp } from '../fixtures/set-up.ts';

/** Numbers its answers, and says of them what the query asks for: `?h=cache-control:max-age=60`. */
let server: Server;
let answers = 0;
beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    for (const line of searchParams.getAll('h')) {
      const [name = '', value = ''] = line.split(/:(.*)/);
      response.appendHeader(name, value);
    }
    const said = { n: ++answers, pathname, origin: request.headers.origin, host: request.headers.host };
    const text = `${JSON.stringify(said)}${' '.repeat(1500)}`;
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': text.length });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

const fresh = 'h=cache-control:max-age=60';

describeEachLine('a cache', (line) => {
  const world = setUp(() =>
    startIngressTraffic(line, [
      ...site(),
      withAnnotations('kept.example.com', { cache: 'true' }),
      withAnnotations('other.example.com', { cache: 'true' }),
      // One says nothing, and has no words of its own but the backend's.
      ingress({
        name: 'whole',
        rules: [{ host: 'shared.example.com', paths: [{ path: '/', service: 'shared' }] }],
      }),
      ingress({
        name: 'part',
        annotations: { 'haproxy-haptic.org/denylist-source-range': '192.0.2.1' },
        rules: [{ host: 'shared.example.com', paths: [{ path: '/part', service: 'shared' }] }],
      }),
      withAnnotations('posing.example.com', { cache: 'true', 'upstream-vhost': 'kept.example.com' }),
      withAnnotations('moved.example.com', { cache: 'true', 'rewrite-target': '/moved' }),
      withAnnotations('edited.example.com', {
        cache: 'true',
        'response-add-header': 'Link: <a>',
        'response-set-header': 'X-Frame-Options: DENY',
      }),
      withAnnotations('cors.example.com', {
        cache: 'true',
        'cors-enable': 'true',
        'cors-allow-origin': 'https://a.example.com, https://b.example.com',
      }),
      withAnnotations('gzip.example.com', { cache: 'true', 'use-gzip': 'true', 'gzip-types': 'text/html' }),
      withAnnotations('sticky.example.com', { cache: 'true', affinity: 'cookie' }),
      withAnnotations('local.example.com', { cache: 'true', 'denylist-source-range': '127.0.0.9' }),
      withAnnotations('users.example.com', { cache: 'true', 'auth-secret': 'users' }),
      secret({ name: 'users', data: { auth: 'jo::pw' } }),
      withAnnotations('never.example.com', { cache: 'false' }),
      withAnnotations('none.example.com', {}),
    ]),
  );
  let counter = 0;
  let target: string;
  const asked = (request: Partial<RawRequest> & { host: string }) =>
    world.request({ target: `${target}?${fresh}`, ...request });
  const number = async (request: Partial<RawRequest> & { host: string }) =>
    (JSON.parse((await asked(request)).body) as { n: number }).n;
  /** Whether the second of two equal requests is answered without the server. */
  const keeps = async (query: string, host = 'kept.example.com', headers: readonly string[] = []) => {
    const request = { host, target: `${target}?${query}`, headers };
    return (await number(request)) === (await number(request));
  };
  const site = () => {
    const { port } = server.address() as AddressInfo;
    return [
      service({ name: 'web' }),
      service({ name: 'shared', annotations: { 'haproxy-haptic.org/cache': 'true' } }),
      ...['web', 'shared'].map((name) =>
        endpointSlice({
          name,
          service: name,
          ports: [{ port }],
          endpoints: [{ address: '127.0.0.1', pod: name }],
        }),
      ),
    ];
  };
  beforeEach(() => {
    target = `/p${++counter}/x`;
  });

  it('answers again what servers say is fresh, with its age', async () => {
    const first = await asked({ host: 'kept.example.com' });
    const second = await asked({ host: 'kept.example.com' });
    expect(second.body).toBe(first.body);
    expect(JSON.parse(second.body)).toMatchObject({ pathname: target, host: 'kept.example.com' });
    expect(headersOf(first.head)['cache-status']).toBe('haptic; fwd=miss');
    expect(headersOf(second.head)).toMatchObject({ 'cache-status': 'haptic; hit', age: '0' });
  });

  it.each([
    ['h=cache-control:s-maxage=60', true],
    ['h=cache-control:public,%20max-age=60', true],
    ['h=expires:Fri,%2031%20Dec%202100%2023:59:59%20GMT', true],
    ['', false],
    ['h=etag:"x"', false],
    ['h=last-modified:Fri,%2031%20Dec%202010%2023:59:59%20GMT', false],
    ['h=cache-control:no-store', false],
    ['h=cache-control:private,max-age=60', false],
    ['h=cache-control:no-cache,max-age=60', false],
    ['h=cache-control:max-age=0', false],
    [`${fresh}&h=set-cookie:session=secret`, false],
    [`${fresh}&h=vary:accept-encoding,referer`, true],
    [`${fresh}&h=vary:origin`, line.line !== '2.6'],
    [`${fresh}&h=vary:cookie`, false],
    [`${fresh}&h=vary:*`, false],
  ])('of an answer with "%s": %s', async (query, isKept) => {
    expect(await keeps(query)).toBe(isKept);
  });

  it('is asked for by GET and HEAD of clients that do not say who they are', async () => {
    expect(await keeps(fresh, 'kept.example.com', ['Authorization: Bearer x'])).toBe(false);
    expect(await keeps(fresh, 'kept.example.com', ['Cookie: theme=dark'])).toBe(true);
    const before = await number({ host: 'kept.example.com' });
    const post = await asked({ host: 'kept.example.com', method: 'POST' });
    expect(JSON.parse(post.body)).not.toMatchObject({ n: before });
  });

  it('is each route its own, whatever it makes of host and path', async () => {
    const seen = await number({ host: 'kept.example.com' });
    const ask = { target: `${target}?${fresh}` };
    expect(await number({ host: 'other.example.com', ...ask })).not.toBe(seen);
    expect(await number({ host: 'posing.example.com', ...ask })).not.toBe(seen);
    expect(await number({ host: 'kept.example.com', ...ask })).toBe(seen);
  });

  it('is each route its own, whatever path it is asked for', async () => {
    const host = 'shared.example.com';
    const seen = await number({ host, target: `/shop_part/part${target}?${fresh}` });
    expect(await number({ host, target: `/part${target}?${fresh}` })).not.toBe(seen);
  });

  it.each([
    ['X-Forwarded-Host: evil.example.org'],
    ['X-Forwarded-Host: evil.example.org', 'X-Forwarded-Host:'],
    ['X-Forwarded-Prefix: /evil'],
    ['X-Original-URL: /evil'],
    ['Forwarded: host=evil.example.org'],
    ['X-HTTP-Method-Override: DELETE'],
  ])('has other answers for those who say %s, of which servers may make something', async (...headers) => {
    const seen = await number({ host: 'kept.example.com', headers });
    expect(await number({ host: 'kept.example.com' })).not.toBe(seen);
    expect(await number({ host: 'kept.example.com', headers })).toBe(seen);
  });

  it('has no answers to requests with a body, of which servers may make something', async () => {
    const fat = { host: 'kept.example.com', headers: ['Content-Length: 3'], body: 'a=b' };
    const seen = await number(fat);
    const plain = await number({ host: 'kept.example.com' });
    expect(plain).not.toBe(seen);
    expect(await number(fat)).not.toBe(plain);
    const chunked = {
      host: 'kept.example.com',
      headers: ['Transfer-Encoding: chunked'],
      body: '3\r\na=b\r\n0\r\n\r\n',
    };
    expect(await number(chunked)).not.toBe(plain);
  });

  it('has other answers for those who come by HTTPS', async () => {
    const near = await startIngressTraffic(
      line,
      [...site(), withAnnotations('kept.example.com', { cache: 'true' })],
      { extraContext: { forwardedFrom: ['127.0.0.0/8'] } },
    );
    try {
      const ask = async (proto: string) => {
        const headers = [`X-Forwarded-Proto: ${proto}`];
        const { body } = await near.request({ host: 'kept.example.com', target: `/?${fresh}`, headers });
        return (JSON.parse(body) as { n: number }).n;
      };
      const seen = await ask('http');
      expect(await ask('https')).not.toBe(seen);
      expect(await ask('http')).toBe(seen);
    } finally {
      await near.stop();
    }
  });

  it('keeps what servers are asked: rewritten paths and queries', async () => {
    const ask = { host: 'moved.example.com', target: `${target}?a=%2Fb&${fresh}` };
    const first = await world.request(ask);
    expect(JSON.parse(first.body)).toMatchObject({ pathname: `/moved${target}` });
    expect((await world.request(ask)).body).toBe(first.body);
    expect((await world.request({ ...ask, target: `${target}?a=%2Fc&${fresh}` })).body).not.toBe(first.body);
  });

  it('goes with edits of responses, which are made once', async () => {
    for (const status of ['haptic; fwd=miss', 'haptic; hit']) {
      const { head } = await asked({ host: 'edited.example.com' });
      expect(headersOf(head)).toMatchObject({
        'cache-status': status,
        link: '<a>',
        'x-frame-options': 'DENY',
      });
    }
  });

  it('goes with CORS: each origin gets its own word', async () => {
    for (const origin of ['https://a.example.com', 'https://b.example.com', 'https://evil.example.org']) {
      const { head } = await asked({ host: 'cors.example.com', headers: [`Origin: ${origin}`] });
      expect(headersOf(head)['access-control-allow-origin']).toBe(
        origin.includes('evil') ? undefined : origin,
      );
    }
  });

  it('goes with compression, and serves clients that take none', async () => {
    const zipped = { host: 'gzip.example.com', headers: ['Accept-Encoding: gzip'] };
    for (const status of ['haptic; fwd=miss', 'haptic; hit'])
      expect(headersOf((await asked(zipped)).head)).toMatchObject({
        'cache-status': status,
        'content-encoding': 'gzip',
      });
    const plain = await asked({ host: 'gzip.example.com' });
    expect(headersOf(plain.head)).not.toHaveProperty('content-encoding');
    expect(JSON.parse(plain.body)).toMatchObject({ pathname: target });
  });

  it('hands nobody the cookie of another one', async () => {
    expect(headersOf((await asked({ host: 'sticky.example.com' })).head)).toHaveProperty('set-cookie');
    const { head } = await asked({ host: 'sticky.example.com' });
    expect(headersOf(head)['cache-status']).toBe('haptic; hit');
    expect(headersOf(head)).not.toHaveProperty('set-cookie');
  });

  it('comes after what keeps requests out', async () => {
    expect((await asked({ host: 'local.example.com' })).status).toBe(200);
    expect((await asked({ host: 'local.example.com', from: '127.0.0.9' })).status).toBe(403);
  });

  it('is not there where users are told apart, or nobody asks for it', async () => {
    const jo = [`Authorization: Basic ${Buffer.from('jo:pw').toString('base64')}`];
    expect(await keeps(fresh, 'users.example.com', jo)).toBe(false);
    expect(await keeps(fresh, 'never.example.com')).toBe(false);
    expect(await keeps(fresh, 'none.example.com')).toBe(false);
    const { head } = await asked({ host: 'none.example.com' });
    expect(headersOf(head)).not.toHaveProperty('cache-status');
  });
});

describeEachLine('without caches', (line) => {
  it('none takes memory', async () => {
    const world = await startIngressTraffic(line, [withAnnotations('none.example.com', {})]);
    expect(bundleFile(world.started, 'haproxy.cfg')).not.toMatch(/^cache /m);
    await world.stop();
  });
});
