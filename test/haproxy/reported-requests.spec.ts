import { expect, it } from 'vitest';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { headersOf } from '../fixtures/headers-of.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { ingress } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

/** Named after reports of other controllers: what went wrong there goes right here. */
describeEachLine('reported of requests', (line) => {
  const pool = setUp(() => startEchoPool('web', 'next', 'third'));
  const world = setUp(() =>
    startIngressTraffic(line, [
      ...pool.objects,
      ingress({
        name: 'hostless',
        annotations: say('rewrite-target', '/new'),
        rules: [{ paths: [{ path: '/app', service: 'web' }] }],
      }),
      annotatedIngress('plain.example.com', {}, ['/app']),
      ingress({
        name: 'wild',
        annotations: say('rewrite-target', '/'),
        rules: [
          {
            host: '*.wild.example.com',
            paths: [
              { path: '/a', service: 'web' },
              { path: '/b', service: 'web' },
            ],
          },
        ],
      }),
      annotatedIngress('unbalanced.example.com', {
        'path-rewrite': '/(([a-z]{2}(-[a-z]{2})?/)?news/?$ /news',
      }),
      annotatedIngress('weighed.example.com', {}),
      ...['next', 'third'].map((service, i) =>
        ingress({
          name: `weighed-${service}`,
          created: `2026-02-0${i + 1}T00:00:00Z`,
          annotations: {
            ...say('canary', 'true'),
            ...(i === 0
              ? { ...say('canary-by-header', 'X-Next'), ...say('canary-by-cookie', 'next') }
              : say('canary-weight', '100')),
          },
          rules: [{ host: 'weighed.example.com', paths: [{ path: '/', service }] }],
        }),
      ),
      annotatedIngress('host.example.com', { 'request-add-header': 'Host: elsewhere' }),
      annotatedIngress('break.example.com', { headers: 'X-A: a\rX-B: b' }),
      annotatedIngress('format.example.com', {
        headers: 'X-A: %REQ(Correlation-Id) %[src] %{+Q}o ${HOME} "a\\',
      }),
      annotatedIngress('deep.example.com', { 'rewrite-target': '/' }, ['/api/foo/public/']),
      annotatedIngress('whole.example.com', { 'rewrite-target': '/foo' }),
      annotatedIngress('shorter.example.com', { 'rewrite-target': '/' }, ['/api']),
      annotatedIngress('slashed.example.com', { 'rewrite-target': '/api/service/' }, ['/service/']),
      annotatedIngress('whole-path.example.com', { 'path-rewrite': '^/old/.* /new/' }),
      annotatedIngress('no-time.example.com', { 'timeout-server': '0s', 'health-check-interval': '0' }),
      annotatedIngress('page.example.com', { 'http-response-503': 'own page' }, [
        { path: '/', service: 'nobody' },
      ]),
      annotatedIngress('odd-name.example.com', { headers: 'version%!: 1' }),
      annotatedIngress('dots.example.com', { 'path-rewrite': '^/api(.*) /$1' }),
      annotatedIngress('dots-target.example.com', { 'rewrite-target': '/a/../b' }),
      annotatedIngress('copies.example.com', { 'mirror-target': 'svc://next:80/"; server x 127.0.0.1:1 #' }),
    ]),
  );
  const say = (key: string, value: string) => ({ [`haproxy-haptic.org/${key}`]: value });
  const url = async (host: string, target: string) => (await world.echo({ host, target })).url;
  const headers = async (host: string) => (await world.echo({ host })).headers;

  it('JM#27: a rewrite of a hostless Ingress outlives another Ingress to the same Service', async () => {
    expect(await url('other.example.com', '/app/x')).toBe('/new/x');
    expect(await url('plain.example.com', '/app/x')).toBe('/app/x');
  });

  it('JM#28: each path of a wildcard host is rewritten', async () => {
    expect(await url('one.wild.example.com', '/a/x')).toBe('/x');
    expect(await url('one.wild.example.com', '/b/x')).toBe('/x');
  });

  it('NGX#51: an expression with open brackets is not taken, and nobody else suffers', async () => {
    expect(await url('unbalanced.example.com', '/de/news/')).toBe('/de/news/');
  });

  it('NGX#57: of several canaries, headers go before cookies, and cookies before weights', async () => {
    const ask = (...given: string[]) => world.outcome({ host: 'weighed.example.com', headers: given });
    expect(await ask()).toBe('third');
    expect(await ask('X-Next: always')).toBe('next');
    expect(await ask('X-Next: never')).toBe('web');
    expect(await ask('Cookie: next=always')).toBe('next');
    expect(await ask('X-Next: never', 'Cookie: next=always')).toBe('web');
  });

  it('EG#59: a second Host is not added', async () => {
    expect((await headers('host.example.com'))['host']).toBe('host.example.com');
  });

  it('ISTIO#60: a value with a line break is not taken, and closes its own route only', async () => {
    expect(await world.outcome({ host: 'break.example.com' })).toBe('503');
    expect(await world.outcome({ host: 'format.example.com' })).not.toBe('503');
  });

  it('KGW#61, KGW#62: what looks like a format is a value', async () => {
    expect((await headers('format.example.com'))['x-a']).toBe(
      '%REQ(Correlation-Id) %[src] %{+Q}o ${HOME} "a\\',
    );
  });

  it('EG#63: replacing a prefix with a slash doubles none', async () => {
    expect(await url('deep.example.com', '/api/foo/public/bar')).toBe('/bar');
    expect(await url('deep.example.com', '/api/foo/public')).toBe('/');
  });

  it('EG#64: replacing a prefix that ends in a slash by another doubles none', async () => {
    expect(await url('slashed.example.com', '/service/version')).toBe('/api/service/version');
    expect(await url('slashed.example.com', '/service')).toMatch(/^\/api\/service\/?$/);
  });

  it('EG#65: a prefix and what follows are joined by one slash, and the query stays', async () => {
    expect(await url('whole.example.com', '/test?a=/b')).toBe('/foo/test?a=/b');
    expect(await url('whole.example.com', '/')).toMatch(/^\/foo\/?$/);
    expect(await url('shorter.example.com', '/api/x?y')).toBe('/x?y');
    expect(await url('shorter.example.com', '/api?y')).toBe('/?y');
  });

  it('AGW#66: a path that is replaced as a whole keeps its slash at the end', async () =>
    expect(await url('whole-path.example.com', '/old/x')).toBe('/new/'));

  it('EG#58: a time of nothing is not taken, and the route goes on, after a restart too', async () => {
    const told = world.started.problems.filter(({ owner }) => owner.name === 'no-time');
    expect(told.map(({ reason }) => reason)).toEqual(['InvalidAnnotation', 'InvalidAnnotation']);
    await world.reload();
    expect(await world.outcome({ host: 'no-time.example.com' })).toBe('web');
  });

  it('HT#21: a page for errors that is taken out is gone, without anything else that changes', async () => {
    const ask = async () => (await world.request({ host: 'page.example.com' })).body;
    expect(await ask()).toContain('own page');
    world.put(annotatedIngress('page.example.com', {}, [{ path: '/', service: 'nobody' }]));
    await world.deploy();
    expect(await ask()).not.toContain('own page');
  });

  it('NGF#70: a name that HAProxy could not set is not taken', async () =>
    expect(await world.outcome({ host: 'odd-name.example.com' })).toBe('503'));

  it.each(['/api../admin', '/api./admin', '/api..', '/api..;x/admin'])(
    'TRF#75: a rewrite makes no dot segments: %s',
    async (target) => {
      expect(await world.outcome({ host: 'dots.example.com', target })).toBe('400');
    },
  );

  it('TRF#75: and leaves other dots alone', async () => {
    expect(await url('dots.example.com', '/api/a..b/.c/...')).toBe('//a..b/.c/...');
    expect(await url('dots-target.example.com', '/x')).toBe('/x');
  });

  it('NGX#47: a Service to mirror to is a Service', async () => {
    const { status, head } = await world.request({ host: 'copies.example.com' });
    expect([status, headersOf(head)['content-type']]).toEqual([200, 'application/json']);
  });
});
