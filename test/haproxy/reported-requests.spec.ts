import { afterAll, beforeAll, expect, it } from 'vitest';
import { annotatedIngress } from '../fixtures/annotated-ingress.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { headersOf } from '../fixtures/headers-of.ts';
import {
  type EchoPool,
  type IngressTraffic,
  startEchoPool,
  startIngressTraffic,
} from '../fixtures/ingress-traffic.ts';
import { ingress } from '../fixtures/kube-objects.ts';

/** Named after reports of other controllers: what went wrong there goes right here. */
describeEachLine('reported of requests', (line) => {
  let pool: EchoPool;
  let world: IngressTraffic;
  const say = (key: string, value: string) => ({ [`haproxy-haptic.org/${key}`]: value });
  beforeAll(async () => {
    pool = await startEchoPool('web', 'next', 'third');
    world = await startIngressTraffic(line, [
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
            ...(i === 0 ? say('canary-by-header', 'X-Next') : say('canary-weight', '100')),
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
      annotatedIngress('odd-name.example.com', { headers: 'version%!: 1' }),
      annotatedIngress('dots.example.com', { 'path-rewrite': '^/api(.*) /$1' }),
      annotatedIngress('dots-target.example.com', { 'rewrite-target': '/a/../b' }),
      annotatedIngress('copies.example.com', { 'mirror-target': 'svc://next:80/"; server x 127.0.0.1:1 #' }),
    ]);
  });
  afterAll(async () => {
    await world.stop();
    await pool.stop();
  });
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

  it('NGX#57: of several canaries, headers go before weights', async () => {
    const ask = (...given: string[]) => world.outcome({ host: 'weighed.example.com', headers: given });
    expect(await ask()).toBe('third');
    expect(await ask('X-Next: always')).toBe('next');
    expect(await ask('X-Next: never')).toBe('web');
  });

  it('EG#59: a second Host is not added', async () => {
    expect((await headers('host.example.com'))['host']).toBe('host.example.com');
  });

  it('ISTIO#60: a value with a line break is not taken, and closes its own route only', async () => {
    expect(await world.outcome({ host: 'break.example.com' })).toBe('503');
    expect(await world.outcome({ host: 'format.example.com' })).not.toBe('503');
  });

  it('KGW#61: what looks like a format is a value', async () => {
    expect((await headers('format.example.com'))['x-a']).toBe(
      '%REQ(Correlation-Id) %[src] %{+Q}o ${HOME} "a\\',
    );
  });

  it('EG#63: replacing a prefix with a slash doubles none', async () => {
    expect(await url('deep.example.com', '/api/foo/public/bar')).toBe('/bar');
    expect(await url('deep.example.com', '/api/foo/public')).toBe('/');
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
