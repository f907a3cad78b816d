import { once } from 'node:events';
import http from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { eventually, freeAddress } from '../fixtures/haproxy-process.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { endpointSlice, service } from '../fixtures/kube-objects.ts';
import { rawRequest } from '../fixtures/raw-http.ts';
import { setUp } from '../fixtures/set-up.ts';

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
}

/** Answers by the header X-Want: a status, `hang`, or nothing for 200. */
let asked: Asked[] = [];
const pool = setUp(() => startEchoPool('web'));
const at = setUp(() => freeAddress());
let authority: http.Server;
beforeAll(async () => {
  authority = http
    .createServer((request, response) => {
      const { method = '', url = '', headers } = request;
      asked.push({ method, url, headers });
      const want = String(headers['x-want'] ?? '200');
      if (want === 'hang') return;
      if (want === 'drop') {
        request.socket.destroy();
        return;
      }
      response.writeHead(Number(want), [
        ...['X-User', 'ann', 'X-Groups', 'one', 'X-Groups', 'two', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'],
        ...(want.startsWith('3') ? ['Location', 'https://login.example.com/'] : []),
        ...(want === '401' ? ['WWW-Authenticate', 'Bearer realm="x"'] : []),
      ]);
      response.end(request.method === 'HEAD' ? undefined : 'from the authority');
    })
    .listen(at.port, at.host);
  await once(authority, 'listening');
});
beforeEach(() => {
  asked = [];
});
afterAll(() => {
  authority.closeAllConnections();
  authority.close();
});

const url = { 'auth-url': 'svc://authority:80/check?for=shop' };

describeEachLine('decisions of another server', (line) => {
  const world = setUp(() =>
    startIngressTraffic(
      line,
      [
        ...pool.objects,
        service({ name: 'authority' }),
        endpointSlice({
          service: 'authority',
          ports: [{ port: at.port }],
          endpoints: [{ address: at.host, pod: 'authority' }],
        }),
        service({ name: 'empty' }),
        service({ name: 'strange', namespace: 'other' }),
        annotatedIngress('shop.example.com', {
          ...url,
          'auth-headers-succeed': 'X-User, X-Groups, X-Absent',
        }),
        annotatedIngress('plain.example.com', {
          'auth-url': 'http://authority.shop.svc.cluster.local/check',
        }),
        annotatedIngress('head.example.com', {
          ...url,
          'auth-method': 'HEAD',
          'auth-headers-request': 'Cookie',
        }),
        annotatedIngress('post.example.com', {
          ...url,
          'auth-method': 'POST',
          'auth-headers-fail': 'X-User',
        }),
        annotatedIngress('signin.example.com', {
          ...url,
          'auth-signin': 'https://login.example.com/start?a=b',
        }),
        annotatedIngress('path.example.com', { ...url, 'auth-signin': '/oauth2/start' }),
        annotatedIngress('empty.example.com', { 'auth-url': 'svc://empty:80/check' }),
        annotatedIngress('missing.example.com', { 'auth-url': 'svc://nothing:80/check' }),
        annotatedIngress('strange.example.com', { 'auth-url': 'svc://other/strange:80/check' }),
        annotatedIngress('outside.example.com', { 'auth-url': 'http://169.254.169.254/latest' }),
        annotatedIngress('cross.example.com', { ...url, 'cors-enable': 'true' }),
        annotatedIngress('open.example.com', {}),
      ],
      { extraContext: { maxconn: 4000 } },
    ),
  );
  const ask = (
    host: string,
    want?: string,
    more: readonly string[] = [],
    rest: { target?: string; method?: string } = {},
  ) =>
    world.request({
      host: `${host}.example.com`,
      headers: [...(want === undefined ? [] : [`X-Want: ${want}`]), ...more],
      ...rest,
    });
  const sent = async (host: string, more: readonly string[] = []) =>
    (await world.echo({ host: `${host}.example.com`, headers: more })).headers;

  it('let requests pass, with what they say of them', async () => {
    expect(await sent('shop', ['X-User: mallory', 'X-Absent: mallory', 'X-Other: kept'])).toMatchObject({
      'x-user': 'ann',
      'x-groups': 'one, two',
      'x-other': 'kept',
    });
    const others = await sent('shop', ['X-Absent: mallory', 'X_Absent: mallory', 'X_USER: mallory']);
    for (const name of ['x-absent', 'x_absent', 'x_user']) expect(others).not.toHaveProperty(name);
    // Without being asked to, none is handed on.
    expect(await sent('plain', ['X-User: client'])).toMatchObject({ 'x-user': 'client' });
  });

  it('are asked for with what is needed, and nothing that a client makes up', async () => {
    const lies = [
      'X-Forwarded-Uri: /lie',
      'X-Forwarded-Method: LIE',
      'X-Original-URL: lie',
      'X-Haptic-Backend: lie',
    ];
    const own = ['Cookie: a=b', 'Authorization: Bearer x', 'Content-Length: 0', 'X-Real-IP: 1.2.3.4'];
    await ask('shop', undefined, [...lies, ...own], { method: 'PUT', target: '/a%20b?c=d&e' });
    expect(asked).toHaveLength(1);
    const [{ method, url: target, headers }] = asked as [Asked];
    expect([method, target]).toEqual(['GET', '/check?for=shop']);
    expect(headers).toMatchObject({
      host: 'authority.shop.svc',
      cookie: 'a=b',
      authorization: 'Bearer x',
      'x-forwarded-uri': '/a%20b?c=d&e',
      'x-forwarded-method': 'PUT',
      'x-forwarded-host': 'shop.example.com',
      'x-forwarded-proto': 'http',
      'x-original-url': 'http://shop.example.com/a%20b?c=d&e',
    });
    expect(headers['x-real-ip']).toMatch(/^127\./);
    expect(headers).not.toHaveProperty('x-haptic-backend');
  });

  it('are asked for in other ways', async () => {
    expect((await ask('head', undefined, ['Cookie: a=b', 'X-Secret: x', 'CDN-Loop: a, b'])).status).toBe(200);
    expect((await ask('post')).status).toBe(200);
    expect(asked.map(({ method }) => method)).toEqual(['HEAD', 'POST']);
    // What ends a way that leads back to HAProxy is always shown.
    expect(asked[0]?.headers).toMatchObject({ cookie: 'a=b', 'cdn-loop': 'a, b' });
    expect(asked[0]?.headers).not.toHaveProperty('x-secret');
  });

  it.each(['401', '403', '404', '302', '400'])('keep requests out by %s', async (status) => {
    const answer = await ask('shop', status);
    expect([answer.status, answer.body]).toEqual([Number(status), 'from the authority']);
    expect(answer.head).toMatch(/\r\nset-cookie: a=1\r\nset-cookie: b=2/i);
    if (status === '302') expect(answer.head).toMatch(/\r\nlocation: https:\/\/login\.example\.com\//i);
    if (status === '401') expect(answer.head).toMatch(/\r\nwww-authenticate: Bearer/i);
  });

  it('give clients the headers that are named', async () => {
    const { head } = await ask('post', '403');
    expect(head).toMatch(/\r\nx-user: ann/i);
    expect(head).not.toMatch(/set-cookie/i);
  });

  it('send clients to where they can sign in', async () => {
    const answer = await ask('signin', '401', [], { target: '/a?b=c&d' });
    expect(answer.status).toBe(302);
    expect(answer.head).toMatch(
      /\r\nlocation: https:\/\/login\.example\.com\/start\?a=b&rd=http%3A%2F%2Fsignin\.example\.com%2Fa%3Fb%3Dc%26d(\r\n|$)/,
    );
    expect((await ask('signin', '403')).status).toBe(403);
    expect((await ask('path', '401')).head).toMatch(
      /\r\nlocation: \/oauth2\/start\?rd=http%3A%2F%2Fpath\.example\.com%2F(\r\n|$)/,
    );
  });

  it.each(['500', '503', 'drop'])('are no where the answer is %s', async (want) => {
    const { status, body } = await ask('shop', want);
    expect([status, body]).toEqual([503, 'it is not known whether this is allowed\n']);
  });

  it('are no where there is no answer in time', async () => {
    expect((await ask('shop', 'hang')).status).toBe(503);
  });

  it.each(['empty', 'missing', 'strange', 'outside'])('are no where the server is %s', async (host) => {
    expect((await ask(host)).status).toBe(503);
    expect(asked).toEqual([]);
  });

  it('are not asked for where nobody wants them, nor for a preflight', async () => {
    expect((await ask('open')).status).toBe(200);
    const preflight = ['Origin: https://a.example.com', 'Access-Control-Request-Method: PUT'];
    expect((await ask('cross', undefined, preflight, { method: 'OPTIONS' })).status).toBe(204);
    expect(asked).toEqual([]);
    expect((await ask('cross', '403', ['Origin: https://a.example.com'])).head).toMatch(
      /access-control-allow-origin/i,
    );
  });

  it('come for many requests at a time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => (await ask('shop', i % 3 === 0 ? '403' : '200')).status),
    );
    expect(answers).toEqual(Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? 403 : 200)));
    expect(asked).toHaveLength(60);
  });

  it('change without a reload', async () => {
    world.put(
      annotatedIngress('plain.example.com', {
        'auth-url': 'svc://authority:80/other',
        'auth-method': 'HEAD',
      }),
    );
    expect(new Set(await world.changeFrom(world.started)).size).toBeGreaterThan(0);
    expect((await ask('plain')).status).toBe(200);
    expect(asked.map(({ method, url: target }) => `${method} ${target}`)).toEqual(['HEAD /other']);
  });
});

describeEachLine('a server that does not decide', (line) => {
  it('keeps those alone waiting who ask it', async () => {
    const world = await startIngressTraffic(line, [
      ...pool.objects,
      service({ name: 'authority' }),
      endpointSlice({
        service: 'authority',
        ports: [{ port: at.port }],
        endpoints: [{ address: at.host, pod: 'authority' }],
      }),
      annotatedIngress('slow.example.com', url),
      annotatedIngress('open.example.com', {}),
    ]);
    try {
      const waiting = Array.from({ length: 200 }, async () => {
        const { status } = await world.request({ host: 'slow.example.com', headers: ['X-Want: hang'] });
        return status;
      });
      await eventually('it is asked', () => (asked.length >= 15 ? true : undefined));
      expect((await rawRequest(world.status, { target: '/healthz' })).status).toBe(200);
      expect(await world.outcome({ host: 'open.example.com' })).toBe('web');
      const info = await world.haproxy.cli('show info');
      expect(Number(/^CurrConns: (\d+)/m.exec(info)?.[1])).toBeLessThan(400);
      expect(new Set(await Promise.all(waiting))).toEqual(new Set([503]));
      // A thirty-second of the connections of the process, which are 500.
      expect(asked).toHaveLength(15);
    } finally {
      await world.stop();
    }
  });
});
