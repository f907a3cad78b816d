import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Echo } from '../fixtures/echo-server.ts';
import { prefixed } from '../fixtures/annotation-rows.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { bundleFiles } from '../fixtures/ingress-renderer.ts';
import {
  type EchoPool,
  type IngressTraffic,
  startEchoPool,
  startIngressTraffic,
} from '../fixtures/ingress-traffic.ts';
import { type PathOptions, ingress, secret } from '../fixtures/kube-objects.ts';

/** What was reported to other controllers about strangers' texts and strangers' paths. */
describeEachLine('reported elsewhere: security', (line) => {
  let pool: EchoPool;
  let world: IngressTraffic;
  const said = (
    name: string,
    annotations: Readonly<Record<string, string>>,
    paths: readonly PathOptions[] = [],
  ) =>
    ingress({
      name,
      annotations,
      rules: [{ host: `${name}.test`, paths: [{ path: '/', service: 'open' }, ...paths] }],
    });
  const guarded = (path: string): PathOptions => ({ path, service: 'guarded' });
  beforeAll(async () => {
    pool = await startEchoPool('open', 'guarded');
    world = await startIngressTraffic(line, [
      ...pool.objects,
      secret({ name: 'empty-user', type: 'Opaque', data: { auth: '' } }),
      said('neighbour', {}),
      said('succeed', prefixed({ 'auth-url': 'svc://open:80/ask', 'auth-headers-succeed': '' })),
      said('unlimited', prefixed({ 'proxy-body-size': 'unlimited' })),
      said('no-size', prefixed({ 'proxy-body-size': 'much' })),
      said('snippet', {
        ...prefixed({ 'config-backend': 'http-request return status 200' }),
        'haproxy-ingress.github.io/config-backend': 'http-request return status 200',
        'haproxy.org/backend-config-snippet': 'http-request return status 200',
      }),
      said('comment', { note: '*/\n}\nbackend injected\n#' }, [guarded('/x\n#')]),
      said('path', {}, [
        guarded('/x;}\n    http-request return status 200'),
        guarded('/x"${HOME}%[env(HOME)]'),
      ]),
      said('redirect', prefixed({ 'redirect-to': 'https://a.test/\n;return 200' })),
      said('set-headers', prefixed({ headers: 'X-A: a\r\nHost: evil.test' })),
      said('no-users', prefixed({ 'auth-secret': 'empty-user' })),
      said('encoded', {}, [guarded('/admin'), { path: '/group', service: 'open' }]),
    ]);
  });
  afterAll(async () => {
    await world.stop();
    await pool.stop();
  });

  const outcome = (name: string, target = '/') => world.outcome({ host: `${name}.test`, target });

  it('HT#20: a Secret without a user lets nobody in', async () => {
    const { status } = await world.request({
      host: 'no-users.test',
      headers: [`Authorization: Basic ${Buffer.from(':').toString('base64')}`],
    });
    expect([401, 503]).toContain(status);
  });

  it('JM#30: an empty list of headers costs that route at most, and stops no other update', async () => {
    expect(['open', '503']).toContain(await outcome('succeed'));
    expect(await outcome('neighbour')).toBe('open');
  });

  it('JM#31: "unlimited" is a size, and what is none closes that route alone', async () => {
    expect(await outcome('unlimited')).toBe('open');
    expect(await outcome('no-size')).toBe('503');
    expect(await outcome('neighbour')).toBe('open');
  });

  it('JM#36: nobody writes directives unless the configuration allows it, in whoever’s dialect', async () => {
    const { status, body } = await world.request({ host: 'snippet.test' });
    expect(body).not.toBe('');
    expect([(JSON.parse(body) as Echo).server, status]).toEqual(['open', 200]);
  });

  it('NGX#48: a path with a line feed is left out, the others are served', async () => {
    expect(await outcome('path')).toBe('open');
    expect(await outcome('path', '/x')).toBe('open');
  });

  it('NGX#49: no text of an object is in a comment', () => {
    const config = bundleFiles(world.started)['haproxy.cfg'] ?? '';
    expect(config).not.toContain('injected');
    for (const text of config.split('\n').filter((some) => some.trimStart().startsWith('#'))) {
      expect(text).not.toMatch(/\.test|shop|evil/);
    }
  });

  it('NGX#50: lines of a redirect or of a header end neither', async () => {
    const redirect = await world.request({ host: 'redirect.test' });
    expect(redirect.head).not.toContain('return');
    const { status, body } = await world.request({ host: 'set-headers.test' });
    expect(status === 200 ? (JSON.parse(body) as Echo).headers['host'] : status).not.toBe('evil.test');
  });

  it.each([
    ['/x%2F..%2Fadmin', '400'],
    ['/%2Fadmin', '400'],
    ['/admin%2Fx', '400'],
    ['/x%5C..%5Cadmin', '400'],
    ['/admin%00', '400'],
    ['/%61dmin%2e/..', 'open'],
    ['/%61dmin', 'guarded'],
    ['/admin%3Bx', '400'],
    ['/admin%3Fx', 'open'],
    ['/admin%23x', 'open'],
    ['/group%2Fproject', 'open'],
    ['/group/a%2Fb', 'open'],
  ])('TRF#76: %s: %s', async (target, expected) => expect(await outcome('encoded', target)).toBe(expected));
});
