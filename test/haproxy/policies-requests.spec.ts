import { describe, expect, it } from 'vitest';
import { annotatedIngress as withAnnotations } from '../fixtures/annotated-ingress.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { headersOf } from '../fixtures/headers-of.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('web'));

/** `%[…]`, quotes and variables in values that users write. */
const hostile = String.raw`%[env(HOME)] "${'$'}{HOME}" \ # ; ' %T {{x}}`;

describeEachLine('policies of requests', (line) => {
  const world = setUp(() =>
    startIngressTraffic(line, [
      ...pool.objects,
      withAnnotations('to.example.com', { 'redirect-to': 'https://new.example.com:8443/a?b=%20c#d' }),
      withAnnotations('host.example.com', {
        'redirect-to': 'https://new.example.com/',
        'redirect-to-code': '308',
      }),
      withAnnotations('odd.example.com', { 'redirect-to': `https://new.example.com/%[src]/'$HOME'` }),
      withAnnotations('root.example.com', { 'app-root': '/%[src]/app' }),
      withAnnotations('rewrite.example.com', { 'rewrite-target': '/v2/%[src]/' }, [
        { path: '/api' },
        { path: '/deep/er' },
        { path: '/exact', pathType: 'Exact' },
      ]),
      withAnnotations('strip.example.com', { 'rewrite-target': '/' }, [{ path: '/api' }]),
      withAnnotations('base.example.com', { 'rewrite-target': '/base' }),
      withAnnotations('captures.example.com', {
        'path-rewrite': String.raw`^/users/([^/]+)/photos/(.*) /p/%[src]/$2/\1`,
      }),
      withAnnotations('headers.example.com', {
        headers: `X-Set: set\nX-Hostile: ${hostile}`,
        'request-add-header': 'X-Add: one\nX-Add: two',
        'request-del-header': 'X-Del, X-Del-Too',
        'response-set-header': `X-Frame-Options: DENY\nContent-Type: text/x-own\nX-Hostile: ${hostile}`,
        'response-add-header': 'Link: <a>\nLink: <b>',
        'response-del-header': 'Date',
        'upstream-vhost': 'Internal.example.com:8080',
      }),
      withAnnotations('gzip.example.com', { 'use-gzip': 'true' }),
      withAnnotations('gzip-html.example.com', { 'use-gzip': 'true', 'gzip-types': 'text/html' }),
      withAnnotations('gzip-big.example.com', { 'use-gzip': 'true', 'gzip-min-length': '100000' }),
      withAnnotations(
        'page.example.com',
        {
          'http-response-503': `Content-Type: text/html\n\n<h1>${hostile}</h1>\n\n<p>é${'x'.repeat(3000)}</p>\n`,
        },
        [{ path: '/', service: 'gone' }],
      ),
      withAnnotations('plain-page.example.com', { 'http-response-503': 'later' }, [
        { path: '/', service: 'gone' },
      ]),
      withAnnotations('named.example.com', {
        'server-alias': 'Alias.example.org, taken.example.com, named.example.com',
        'redirect-from': 'from.example.org,none.example.com',
        'from-to-www-redirect': 'true',
      }),
      withAnnotations('www.bare.example.com', { 'from-to-www-redirect': 'true' }),
      withAnnotations('taken.example.com', {}, [{ path: '/', service: 'gone' }]),
      withAnnotations('silent.example.com', { 'enable-access-log': 'false' }),
      withAnnotations('none.example.com', {}),
      withAnnotations('gone.example.com', {}, [{ path: '/', service: 'gone' }]),
    ]),
  );

  describe('redirects', () => {
    it.each([
      ['to.example.com', '/x?y', 302, 'https://new.example.com:8443/a?b=%20c#d'],
      ['host.example.com', '/x/?y=1', 308, 'https://new.example.com/x/?y=1'],
      ['host.example.com', '//x', 308, 'https://new.example.com//x'],
      ['odd.example.com', '/', 302, `https://new.example.com/%[src]/'$HOME'`],
      ['root.example.com', '/', 302, '/%[src]/app'],
      ['root.example.com', '/?a', 302, '/%[src]/app'],
    ])('sends %s%s elsewhere', async (host, target, status, location) => {
      const answer = await world.request({ host, target });
      expect([answer.status, headersOf(answer.head)['location']]).toEqual([status, location]);
    });

    it('of the root leave other paths alone', async () => {
      expect(await world.outcome({ host: 'root.example.com', target: '/x' })).toBe('web');
    });
  });

  describe('other hosts', () => {
    it.each([
      ['alias.example.org', 'web'],
      ['from.example.org', '308'],
      ['www.named.example.com', '308'],
      ['bare.example.com', '308'],
      ['taken.example.com', '503'],
      ['none.example.com', 'web'],
      ['www.none.example.com', '404'],
      ['www.alias.example.org', '404'],
    ])('%s: %s', async (host, outcome) => {
      expect(await world.outcome({ host, target: '/a/b' })).toBe(outcome);
    });

    it.each([
      ['from.example.org', 'http://named.example.com/a/?b'],
      ['from.example.org:8080', 'http://named.example.com:8080/a/?b'],
      ['from.example.org:0', 'http://named.example.com/a/?b'],
      ['WWW.named.example.com', 'http://named.example.com/a/?b'],
      ['bare.example.com', 'http://www.bare.example.com/a/?b'],
    ])('sends %s to %s', async (host, location) => {
      const { head } = await world.request({ host, target: '/a/?b' });
      expect(headersOf(head)['location']).toBe(location);
    });
  });

  describe('rewrites', () => {
    it.each([
      ['rewrite', '/api', '/v2/%[src]/'],
      ['rewrite', '/api/', '/v2/%[src]/'],
      ['rewrite', '/api/x/y/?q=/api', '/v2/%[src]/x/y/?q=/api'],
      ['rewrite', '/api//x', '/v2/%[src]/x'],
      ['rewrite', '/deep/er/x', '/v2/%[src]/x'],
      ['rewrite', '/exact?q', '/v2/%[src]/?q'],
      ['strip', '/api', '/'],
      ['strip', '/api/', '/'],
      ['strip', '/api/x', '/x'],
      ['strip', '/api/x%20y', '/x%20y'],
      ['strip', '//api/x', '/x'],
      ['strip', '/a/../api/x', '/x'],
      ['base', '/', '/base/'],
      ['base', '/x/', '/base/x/'],
      ['captures', '/users/7/photos/a/b?q=1', '/p/%[src]/a/b/7?q=1'],
      ['captures', '/users/7/8/photos/a', '/users/7/8/photos/a'],
      ['none', '/api/x', '/api/x'],
    ])('%s: %s becomes %s', async (host, target, url) => {
      expect((await world.echo({ host: `${host}.example.com`, target })).url).toBe(url);
    });

    it('by expressions refuse paths that would take them long', async () => {
      const target = `/users/${'a'.repeat(2100)}`;
      expect(await world.outcome({ host: 'captures.example.com', target })).toBe('414');
    });
  });

  describe('headers', () => {
    it('of requests are set, added and taken out', async () => {
      const { headers } = await world.echo({
        host: 'headers.example.com',
        headers: ['X-Set: client', 'X-Add: client', 'X-Del: a', 'X-DEL: b', 'X-Del-Too: c', 'X-Keep: d'],
      });
      expect(headers).toMatchObject({
        'x-set': 'set',
        'x-add': 'client, one, two',
        'x-hostile': hostile,
        'x-keep': 'd',
        host: 'internal.example.com:8080',
      });
      expect(headers).not.toHaveProperty('x-del');
      expect(headers).not.toHaveProperty('x-del-too');
    });

    it('of responses are set, added and taken out', async () => {
      const { head } = await world.request({ host: 'headers.example.com' });
      expect(headersOf(head)).toMatchObject({
        'x-frame-options': 'DENY',
        'content-type': 'text/x-own',
        'x-hostile': hostile,
        link: '<a>, <b>',
      });
      expect(headersOf(head)).not.toHaveProperty('date');
    });

    it('of others stay', async () => {
      const { headers } = await world.echo({ host: 'none.example.com', headers: ['X-Del: a'] });
      expect(headers).toMatchObject({ 'x-del': 'a', host: 'none.example.com' });
    });
  });

  describe('compression', () => {
    const encoding = async (host: string) => {
      const { head } = await world.request({ host, headers: ['Accept-Encoding: gzip'] });
      return headersOf(head)['content-encoding'];
    };
    it('is for types that gain by it', async () => {
      expect(await encoding('gzip.example.com')).toBe('gzip');
      expect(await encoding('gzip-html.example.com')).toBeUndefined();
      expect(await encoding('none.example.com')).toBeUndefined();
    });
    it('leaves what is short, from HAProxy 3.2 on', async () => {
      expect(await encoding('gzip-big.example.com')).toBe(
        ['2.6', '3.0'].includes(line.line) ? 'gzip' : undefined,
      );
    });
  });

  describe('error pages', () => {
    it("are HAProxy's own answers", async () => {
      const { status, head, body } = await world.request({ host: 'page.example.com' });
      expect([status, headersOf(head)['content-type']]).toEqual([503, 'text/html']);
      expect(Buffer.from(body, 'latin1').toString()).toBe(
        `<h1>${hostile}</h1>\n\n<p>é${'x'.repeat(3000)}</p>\n`,
      );
      const plain = await world.request({ host: 'plain-page.example.com' });
      expect([plain.body, headersOf(plain.head)['content-type']]).toEqual([
        'later',
        'text/plain; charset=utf-8',
      ]);
      expect((await world.request({ host: 'gone.example.com' })).body).toContain('503 Service Unavailable');
    });
  });

  it('is silent about requests where that is asked for', async () => {
    await world.request({ host: 'silent.example.com', target: '/nobody-hears-this' });
    await world.request({ host: 'none.example.com', target: '/somebody-hears-this' });
    await expect.poll(() => world.haproxy.log()).toContain('/somebody-hears-this');
    expect(world.haproxy.log()).not.toContain('/nobody-hears-this');
  });
});

describeEachLine('snippets', (line) => {
  const objects = () => [
    ...pool.objects,
    withAnnotations('own.example.com', {
      'config-backend':
        'acl beta hdr(x-beta) -m found\nhttp-request set-header x-own "%[path] \\"1\\"" if beta',
    }),
    withAnnotations('leaving.example.com', { 'config-backend': 'backend other\nserver x 127.0.0.1:1' }),
    withAnnotations('none.example.com', {}),
  ];

  it('are printed where the configuration allows it', async () => {
    const world = await startIngressTraffic(line, objects(), { snippetAnnotations: true });
    try {
      const ask = (host: string) => world.echo({ host, target: '/p', headers: ['X-Beta: 1'] });
      expect((await ask('own.example.com')).headers).toMatchObject({ 'x-own': '/p "1"' });
      expect((await ask('none.example.com')).headers).not.toHaveProperty('x-own');
      expect((await ask('leaving.example.com')).server).toBe('web');
    } finally {
      await world.stop();
    }
  });

  it('are not taken by default', async () => {
    const world = await startIngressTraffic(line, objects());
    try {
      const { headers } = await world.echo({ host: 'own.example.com', headers: ['X-Beta: 1'] });
      expect(headers).not.toHaveProperty('x-own');
    } finally {
      await world.stop();
    }
  });
});

describeEachLine(
  'a route of a known shape',
  (line) => {
    it('comes without a reload, whatever is said of it', async () => {
      const say = (n: number) => ({
        'rewrite-target': `/v${n}`,
        headers: `X-N: ${n}`,
        'request-add-header': `X-Add: ${n}`,
        'response-set-header': `X-Out: ${n}`,
        'upstream-vhost': `internal${n}.example.com`,
        'app-root': `/root${n}`,
        'use-gzip': 'true',
        'http-response-503': 'later',
        'path-rewrite': '^/v2/old/(.*) /v2/$1',
        'enable-access-log': 'false',
      });
      const sending = (n: number) => ({
        'redirect-to': `https://to${n}.example.com`,
        'redirect-to-code': '307',
      });
      const world = await startIngressTraffic(line, [
        ...pool.objects,
        withAnnotations('one.example.com', say(1)),
        withAnnotations('sent1.example.com', sending(1)),
      ]);
      try {
        world.put(
          withAnnotations('two.example.com', say(2)),
          withAnnotations('sent2.example.com', sending(2)),
          withAnnotations('two-gone.example.com', say(2), [{ path: '/', service: 'gone' }]),
        );
        await world.changeFrom(world.started);
        const answer = await world.request({
          host: 'two.example.com',
          target: '/old/x',
          headers: ['Accept-Encoding: gzip'],
        });
        expect(headersOf(answer.head)).toMatchObject({ 'content-encoding': 'gzip', 'x-out': '2' });
        expect(await world.echo({ host: 'two.example.com', target: '/old/x' })).toMatchObject({
          url: '/v2/x',
          headers: { 'x-n': '2', 'x-add': '2', host: 'internal2.example.com' },
        });
        const root = await world.request({ host: 'two.example.com' });
        expect(headersOf(root.head)['location']).toBe('/root2');
        expect((await world.request({ host: 'two-gone.example.com', target: '/a' })).body).toBe('later');
        const sent = await world.request({ host: 'sent2.example.com', target: '/a' });
        expect([sent.status, headersOf(sent.head)['location']]).toEqual([307, 'https://to2.example.com/a']);
      } finally {
        await world.stop();
      }
    });
  },
  (line) => line === '3.4',
);
