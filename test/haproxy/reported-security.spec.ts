import { expect, it } from 'vitest';
import type { Echo } from '../fixtures/echo-server.ts';
import { prefixed } from '../fixtures/prefixed.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { bundleFiles } from '../fixtures/ingress-renderer.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { endpointSlice, type PathOptions, ingress, secret, service } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

/** What was reported to other controllers about strangers' texts and strangers' paths. */
describeEachLine('reported elsewhere: security', (line) => {
  const pool = setUp(() => startEchoPool('open', 'guarded'));
  const world = setUp(() =>
    startIngressTraffic(line, [
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
      said('origin', prefixed({ 'cors-enable': 'true', 'cors-allow-origin': 'capacitor://localhost\n' })),
      said('odd-origin', prefixed({ 'cors-enable': 'true', 'cors-allow-origin': 'not an origin' })),
      said('realm', prefixed({ 'auth-secret': 'empty-user', 'auth-realm': 'a" realm=b' })),
      said('asked', prefixed({ 'auth-url': 'svc://open:80/x"; http-request allow #' })),
      said('asked-elsewhere', prefixed({ 'auth-url': 'http://169.254.169.254/latest' })),
      said('told', prefixed({ 'auth-url': 'svc://open:80/x', 'auth-headers-succeed': 'X-A\n  deny: x' })),
      said('comment', { note: '*/\n}\nbackend injected\n#' }, [guarded('/x\n#')]),
      said('path', {}, [
        guarded('/x\n    http-request return status 200'),
        guarded('/x /x'),
        guarded('/x;}\n    http-request return status 200'),
        guarded('/x"${HOME}%[env(HOME)]'),
      ]),
      said('redirect', prefixed({ 'redirect-to': 'https://a.test/\n;return 200' })),
      said('set-headers', prefixed({ headers: 'X-A: a\r\nHost: evil.test' })),
      said('no-users', prefixed({ 'auth-secret': 'empty-user' })),
      said('encoded', {}, [guarded('/admin'), { path: '/group', service: 'open' }]),
    ]),
  );
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

  it('JM#35: an origin that cannot be read is no "*"', async () => {
    const grants = async (name: string) => {
      const { head } = await world.request({ host: `${name}.test`, headers: ['Origin: https://evil.test'] });
      return /access-control-allow-origin/i.test(head);
    };
    expect(await grants('odd-origin')).toBe(false);
    expect(await grants('origin')).toBe(false);
  });

  it('HAPTIC#127: a realm with quotes ends no directive, and lets nobody in', async () => {
    const { status, head } = await world.request({ host: 'realm.test' });
    expect([401, 503]).toContain(status);
    expect(head).not.toContain('realm=b');
  });

  it('NGX#47: who is asked about requests is a Service of the same namespace, or nobody gets in', async () => {
    expect(await outcome('asked')).toBe('503');
    expect(await outcome('asked-elsewhere')).toBe('503');
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
    expect(await outcome('told')).toBe('503');
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

describeEachLine('reported elsewhere: snippets that are allowed', (line) => {
  it('HT#15: one that Service and Ingress both have is printed once', async () => {
    const pool = await startEchoPool('open');
    const snippet = prefixed({ 'config-backend': 'http-response add-header X-Snippet once' });
    const [{ name, host, port }] = [pool.at('open')];
    const world = await startIngressTraffic(
      line,
      [
        service({ name, annotations: snippet }),
        endpointSlice({ service: name, ports: [{ port }], endpoints: [{ address: host, pod: name }] }),
        ingress({
          name: 'both',
          annotations: snippet,
          rules: [{ host: 'both.test', paths: [{ path: '/', service: name }] }],
        }),
      ],
      { snippetAnnotations: true },
    );
    try {
      const { head } = await world.request({ host: 'both.test' });
      expect(head.match(/^x-snippet: once\r?$/gim)).toHaveLength(1);
    } finally {
      await world.stop();
      await pool.stop();
    }
  });
});
