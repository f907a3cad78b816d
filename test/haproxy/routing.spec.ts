import { expect, it } from 'vitest';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { type IngressTraffic, startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { bundleFile, bundleFiles } from '../fixtures/ingress-renderer.ts';
import { ingress, ingressClass, serviceBackend } from '../fixtures/kube-objects.ts';
import { rawRequest, type RawRequest } from '../fixtures/raw-http.ts';
import { setUp } from '../fixtures/set-up.ts';

type Case = readonly [title: string, request: RawRequest, outcome: string];

const exact = (path: string, service: string) => ({ path, pathType: 'Exact', service });
const prefix = (path: string, service: string) => ({ path, pathType: 'Prefix', service });
const specific = (path: string, service: string) => ({ path, pathType: 'ImplementationSpecific', service });

const pool = setUp(() => startEchoPool('root', 'api', 'deep', 'one', 'two', 'wild', 'any', 'rest'));

function outcomes(world: () => IngressTraffic, cases: readonly Case[]) {
  it.each(cases)('%s', async (_title, request, outcome) => {
    expect(await world().outcome(request)).toBe(outcome);
  });
}

describeEachLine('routing: paths of one host', (line) => {
  const world = setUp(() =>
    startIngressTraffic(line, [
      ...pool.objects,
      ingress({
        name: 'catch-all-first',
        rules: [
          {
            host: 'a.example.com',
            paths: [prefix('/', 'root'), prefix('/api', 'api'), prefix('/api/v2/', 'deep')],
          },
        ],
      }),
      ingress({
        name: 'exact-beside-prefix',
        rules: [
          {
            host: 'a.example.com',
            paths: [exact('/', 'one'), exact('/api', 'two'), exact('/exact/', 'one')],
          },
        ],
      }),
      ingress({
        name: 'acme',
        rules: [
          {
            host: 'a.example.com',
            paths: [
              specific('/.well-known/acme-challenge/t0ken', 'deep'),
              specific('/regex/[1-9][0-9]*/(.*)', 'two'),
            ],
          },
        ],
      }),
      ingress({
        name: 'odd',
        rules: [
          {
            host: 'odd.example.com',
            paths: [
              prefix('/a%2Fb', 'one'),
              prefix('//double', 'two'),
              exact('/q"u=o,t\'e${x}[y]{z}', 'deep'),
              prefix('/Case', 'api'),
            ],
          },
        ],
      }),
      ingress({
        name: 'ours',
        rules: [{ host: 'ours.example.com', paths: [exact('/healthz', 'api'), exact('/metrics', 'api')] }],
      }),
      ingress({
        name: 'long',
        rules: [{ host: 'long.example.com', paths: [prefix(`/${'x'.repeat(2000)}`, 'one')] }],
      }),
    ]),
  );

  const at = (target: string, host = 'a.example.com'): RawRequest => ({ target, host });
  outcomes(
    () => world,
    [
      ['the first of "/" and "/api" would catch all: the longest wins', at('/api/x'), 'api'],
      ['a longer prefix of another length wins over both', at('/api/v2/x'), 'deep'],
      ['"/" serves what nothing longer does', at('/other'), 'root'],
      ['"/api" does not catch "/apiary"', at('/apiary'), 'root'],
      ['"/api" does not catch "/api-docs"', at('/api-docs/'), 'root'],
      ['"/api/v2/" does not catch "/api/v22"', at('/api/v22'), 'api'],
      ['a prefix with a trailing slash serves the path without it', at('/api/v2'), 'deep'],
      ['a prefix serves itself with a trailing slash', at('/api/'), 'api'],
      ['Exact "/" is not lost beside Prefix "/"', at('/'), 'one'],
      ['Exact beats a prefix of the same path', at('/api'), 'two'],
      ['Exact with a trailing slash is another path than without', at('/exact/'), 'one'],
      ['Exact does not take the path without its trailing slash', at('/exact'), 'root'],
      ['Exact does not take what is below it', at('/exact/x'), 'root'],
      ['the solver of a challenge is not hidden by "/"', at('/.well-known/acme-challenge/t0ken'), 'deep'],
      ['what looks like a regular expression is no half match', at('/regex/12/x'), 'root'],
      ['what looks like a regular expression means itself', at('/regex/[1-9][0-9]*/(.*)'), 'two'],
      ['a query string with slashes is not part of the path', at('/?x=/api/v2'), 'one'],
      ['a query string does not spoil Exact', at('/api?y=/z'), 'two'],
      ['a query string does not spoil a prefix', at('/api/v2?a=b'), 'deep'],
      ['an absolute-form target is routed by its path', at('http://a.example.com/api/x?y'), 'api'],
      ['an absolute-form target without a path is "/"', at('http://a.example.com'), 'one'],
      ['dots in the path are resolved before matching', at('/api/../other'), 'root'],
      ['OPTIONS * goes to whoever has "/"', { method: 'OPTIONS', target: '*', host: 'a.example.com' }, 'one'],
      ['"//" is "/" in matching', at('//api'), 'two'],
      ['an encoded slash is not taken for a slash', at('/a/b', 'odd.example.com'), '404'],
      [
        'an encoded slash that would go elsewhere as a slash is refused',
        at('/a%2Fb/c', 'odd.example.com'),
        '400',
      ],
      ['an encoded slash that goes the same way as a slash is routed', at('/group%2Fproject'), 'root'],
      ['an encoded slash does not hide a longer prefix', at('/api%2fv2'), '400'],
      ['a double slash of an Ingress is "/" in matching, too', at('/double/x', 'odd.example.com'), 'two'],
      [
        'quotes, equals signs and format characters mean themselves',
        at('/q"u=o,t\'e${x}[y]{z}', 'odd.example.com'),
        'deep',
      ],
      ['paths are case-sensitive', at('/case', 'odd.example.com'), '404'],
      ['/healthz of an application is not ours', at('/healthz', 'ours.example.com'), 'api'],
      ['/metrics of an application is not ours', at('/metrics', 'ours.example.com'), 'api'],
      [
        '/metrics of HAProxy is not to be had where clients connect',
        at('/metrics', 'long.example.com'),
        '404',
      ],
      [
        'a path of 2,000 characters is told from a shorter one',
        at(`/${'x'.repeat(1999)}`, 'long.example.com'),
        '404',
      ],
      [
        'a path of 2,000 characters serves what is below it',
        at(`/${'x'.repeat(2000)}/y`, 'long.example.com'),
        'one',
      ],
      ['a request of 12,000 characters is routed like any other', at(`/api/${'y'.repeat(12_000)}`), 'api'],
    ],
  );

  it('passes query and doubled slashes on as they were sent', async () => {
    expect((await world.echo(at('/api//x%2Fy?q=/a/../b//%61&c'))).url).toBe('/api//x%2Fy?q=/a/../b//%61&c');
  });

  it('passes the normal form of a path on', async () => {
    expect((await world.echo(at('/%61pi/./x/../y%2dz%c3%a9?q'))).url).toBe('/api/y-z%C3%A9?q');
  });

  it('tells backends who asked, and by which protocol, whatever the client claims', async () => {
    const { headers } = await world.echo({ ...at('/api/x'), headers: ['X-Forwarded-Proto: https'] });
    expect(headers['x-forwarded-proto']).toBe('http');
    expect(headers['x-forwarded-for']).toMatch(/^127\./);
  });

  it('leaves out headers that applications may take for others', async () => {
    // CGI and FastCGI make X_USER of the last ones, too.
    const headers = [
      'X_User: root',
      'X-Real_IP: 10.0.0.1',
      'X.User: root',
      'X.Forwarded.For: ::1',
      "X'User: root",
      'X-Kept: yes',
    ];
    const seen = Object.keys((await world.echo({ ...at('/api/x'), headers })).headers);
    expect(seen.filter((name) => !/^[a-z0-9-]+$/.test(name))).toEqual([]);
    expect(seen).toContain('x-kept');
  });

  it('does not tell clients about backends', async () => {
    const { head } = await world.request(at('/api/x'));
    expect(head.toLowerCase()).not.toMatch(/shop_|x-haproxy|haptic/);
  });
});

describeEachLine('routing: hosts', (line) => {
  const world = setUp(() =>
    startIngressTraffic(line, [
      ...pool.objects,
      ingress({ name: 'apex', rules: [{ host: 'example.com', paths: [prefix('/', 'root')] }] }),
      ingress({ name: 'sub', rules: [{ host: 'subdomain.example.com', paths: [prefix('/', 'one')] }] }),
      ingress({
        name: 'wild',
        rules: [
          {
            host: '*.example.com',
            paths: [prefix('/', 'wild'), exact('/only', 'deep'), prefix('/two', 'two')],
          },
        ],
      }),
      ingress({ name: 'concrete', rules: [{ host: 'concrete.example.com', paths: [prefix('/c', 'api')] }] }),
      ingress({ name: 'upper', rules: [{ host: 'UPPER.Example.ORG', paths: [prefix('/', 'two')] }] }),
      ingress({ name: 'hostless', rules: [{ paths: [prefix('/any', 'any'), prefix('/two', 'any')] }] }),
    ]),
  );

  const at = (host: string | null, target = '/', version = '1.1'): RawRequest => ({ host, target, version });
  outcomes(
    () => world,
    [
      ['a host is not matched as a path of another', at('subdomain.example.com', '/example.com'), 'one'],
      ['a host served by name is not taken by the wildcard', at('subdomain.example.com'), 'one'],
      ['the wildcard serves any one label', at('foo.example.com'), 'wild'],
      ['the wildcard serves several paths', at('foo.example.com', '/two/x'), 'two'],
      ['the wildcard serves Exact paths', at('foo.example.com', '/only'), 'deep'],
      ['the wildcard does not serve two labels', at('a.b.example.com'), '404'],
      ['the wildcard does not serve the domain itself', at('example.com'), 'root'],
      ['the wildcard does not serve an empty label', at('.example.com'), 'wild'],
      ['a concrete host is served before the wildcard', at('concrete.example.com', '/c/x'), 'api'],
      [
        'what a concrete host does not serve falls through to its wildcard',
        at('concrete.example.com', '/x'),
        'wild',
      ],
      ['hosts are not case-sensitive', at('SubDomain.EXAMPLE.com'), 'one'],
      ['hosts are not case-sensitive in the Ingress either', at('upper.example.org'), 'two'],
      ['a port in the Host header is ignored', at('subdomain.example.com:8080'), 'one'],
      ['a trailing dot in the Host header is ignored', at('subdomain.example.com.'), 'one'],
      ['a trailing dot before a port is ignored', at('subdomain.example.com.:80'), 'one'],
      ['an Ingress with a host does not break those without', at('unknown.org', '/any/x'), 'any'],
      ['paths without a host serve requests for known hosts too', at('upper.example.org', '/any'), 'two'],
      [
        'what host and wildcard do not serve falls through to every host',
        at('a.b.example.com', '/any'),
        'any',
      ],
      [
        'the more specific host wins over the longer path of every host',
        at('foo.example.com', '/two'),
        'two',
      ],
      ['an unknown host is not served', at('unknown.org', '/'), '404'],
      ['an empty Host header reaches paths of every host', at('', '/any'), 'any'],
      ['an empty Host header reaches no other', at('', '/'), '404'],
      ['HTTP/1.0 without a Host header reaches paths of every host', at(null, '/any', '1.0'), 'any'],
      ['an IPv6 literal is a host like any other', at('[::1]:80', '/any'), 'any'],
      ['an IPv6 literal is not mistaken for a name', at('[::1]', '/'), '404'],
      ['an IPv4 literal is a host like any other', at('127.0.0.1:8080', '/any'), 'any'],
      ['a literal "*" in the Host header is no key to anything', at('*', '/'), '404'],
      ['a Host header of 4,000 characters is not served', at(`${'a'.repeat(4000)}.org`, '/'), '404'],
    ],
  );

  it('does not route by a Host header with a slash in it', async () => {
    // Lines from 3.0 on refuse it as malformed, 2.6 knows no such host.
    expect(['400', '404']).toContain(await world.outcome(at('example.com/x', '/')));
  });

  it('does not route by one of two contradicting hosts', async () => {
    const response = await world.request({ target: 'http://subdomain.example.com/', host: 'example.com' });
    expect(response.status).toBe(400);
  });
});

describeEachLine('routing: paths of every host, and defaults', (line) => {
  const world = setUp(() =>
    startIngressTraffic(line, [
      ...pool.objects,
      ingress({ name: 'both', rules: [{ paths: [exact('/', 'one'), prefix('/p', 'two')] }] }),
      ingress({
        name: 'with-rules',
        defaultBackend: serviceBackend('root'),
        rules: [
          { host: 'a.example.com', paths: [prefix('/a', 'api')] },
          { host: '*.w.example.com', paths: [prefix('/w', 'wild')] },
          { host: 'bare.example.com' },
        ],
      }),
      ingress({ name: 'global', created: '2025-01-01T00:00:00Z', defaultBackend: serviceBackend('rest') }),
      ingress({
        name: 'global-late',
        created: '2026-01-01T00:00:00Z',
        defaultBackend: serviceBackend('deep'),
      }),
      ingress({ name: 'dead', rules: [{ host: 'dead.example.com', paths: [prefix('/', 'missing')] }] }),
    ]),
  );

  const at = (host: string, target = '/'): RawRequest => ({ host, target });
  outcomes(
    () => world,
    [
      ['Exact "/" without a host does not take other paths', at('x.org', '/x'), 'rest'],
      ['Exact "/" without a host is served', at('x.org'), 'one'],
      ['the default of an Ingress with rules serves its own hosts', at('a.example.com', '/x'), 'root'],
      ['the default of an Ingress with rules serves its own wildcards', at('v.w.example.com', '/x'), 'root'],
      [
        'the default of an Ingress with rules serves a rule without paths',
        at('bare.example.com', '/x'),
        'root',
      ],
      ['the default of an Ingress with rules does not serve other hosts', at('b.example.com', '/x'), 'rest'],
      ['a default comes after all paths, those of every host too', at('a.example.com', '/p/x'), 'two'],
      ['a path beats the default of its host', at('a.example.com', '/a/x'), 'api'],
      ['the oldest of two defaults of every host wins', at('unknown.org', '/x'), 'rest'],
      ['a path without endpoints does not fall through to a default', at('dead.example.com', '/x'), '503'],
    ],
  );
});

describeEachLine('routing: an empty cluster', (line) => {
  const world = setUp(() => startIngressTraffic(line, []));

  it('starts with empty maps and answers 404', async () => {
    expect(await world.outcome({})).toBe('404');
  });

  it('names its maps at runtime as in the bundle, so that entries can be added', async () => {
    const listed = await world.haproxy.cli('show map');
    const maps = ['default', 'host', 'path'].map((name) => `maps/${name}.map`);
    for (const map of maps) {
      expect(listed).toContain(`(${map})`);
      expect(await world.haproxy.cli(`add map ${map} probe.invalid/x value`)).toBe('\n');
      expect(await world.haproxy.cli(`show map ${map}`)).toContain('probe.invalid/x value');
      expect(await world.haproxy.cli(`del map ${map} probe.invalid/x`)).toBe('\n');
    }
    expect(world.started.problems).toEqual([]);
  });

  it('answers 503 for a route whose backend this process does not have, and others go on', async () => {
    await world.haproxy.cli('add map maps/path.map */gone/ shop_gone_80');
    expect(await world.outcome({ target: '/gone/x' })).toBe('503');
    expect(await world.outcome({ target: '/other' })).toBe('404');
    await world.haproxy.cli('del map maps/path.map */gone/');
  });

  it('reloads in its base directory with the same sockets and map names', async () => {
    const { haproxy } = world;
    const before = await haproxy.workerPid();
    await world.reload();
    expect(await haproxy.workerPid()).not.toBe(before);
    expect(await haproxy.cli('show map')).toContain('(maps/host.map)');
    expect(await world.outcome({})).toBe('404');
  });

  it('answers on its status port', async () => {
    const get = (target: string) => rawRequest(world.status, { target });
    expect((await get('/healthz')).status).toBe(200);
    expect((await get('/ready')).status).toBe(200);
    expect((await get('/')).status).toBe(404);
    const metrics = await get('/metrics');
    expect(metrics.status).toBe(200);
    expect(metrics.body).toContain('haproxy_process_');
  });
});

describeEachLine('routing: changes', (line) => {
  const hosts = Array.from({ length: 3000 }, (_, i) => `h${i}.many.example.com`);
  const twoHosts = ingress({
    name: 'two-hosts',
    rules: ['one', 'two'].map((name) => ({ host: `${name}.example.com`, paths: [prefix('/', name)] })),
  });
  const world = setUp(() =>
    startIngressTraffic(line, [
      ...pool.objects,
      ingress({ name: 'many', rules: hosts.map((host) => ({ host, paths: [prefix('/', 'root')] })) }),
    ]),
  );

  it('thousands of hosts of one backend make no line longer', async () => {
    const config = bundleFile(world.started, 'haproxy.cfg');
    expect(Math.max(...config.split('\n').map((text) => text.length))).toBeLessThan(1024);
    for (const host of [hosts[0], hosts[1500], hosts[2999]]) {
      expect(await world.outcome({ host: host ?? '' })).toBe('root');
    }
  });

  it('a deleted Ingress with two hosts leaves neither behind', async () => {
    world.put(twoHosts);
    await world.deploy();
    expect(await world.outcome({ host: 'one.example.com' })).toBe('one');
    expect(await world.outcome({ host: 'two.example.com' })).toBe('two');
    world.remove(twoHosts);
    const bundle = await world.deploy();
    expect(await world.outcome({ host: 'one.example.com' })).toBe('404');
    expect(await world.outcome({ host: 'two.example.com' })).toBe('404');
    expect(bundleFiles(bundle)).toEqual(bundleFiles(world.started));
  });

  it('an Ingress edited from another class to ours is served, and no more when it leaves', async () => {
    const classed = (className: string) =>
      ingress({
        name: 'classed',
        className,
        rules: [{ host: 'classed.example.com', paths: [prefix('/', 'one')] }],
      });
    const outcome = () => world.outcome({ host: 'classed.example.com' });
    world.put(ingressClass({ name: 'other', controller: 'example.com/other' }), classed('other'));
    await world.deploy();
    expect(await outcome()).toBe('404');
    world.put(classed('haptic'));
    await world.deploy();
    expect(await outcome()).toBe('one');
    world.put(classed('other'));
    const bundle = await world.deploy();
    expect(await outcome()).toBe('404');
    expect(bundleFiles(bundle)).toEqual(bundleFiles(world.started));
  });

  it('an Ingress for a host leaves those for every host alone, and a late one for every host too', async () => {
    world.put(ingress({ name: 'every', rules: [{ paths: [prefix('/', 'any')] }] }));
    await world.deploy();
    expect(await world.outcome({ host: 'new.example.com' })).toBe('any');
    world.put(ingress({ name: 'new', rules: [{ host: 'new.example.com', paths: [prefix('/x', 'one')] }] }));
    await world.deploy();
    expect(await world.outcome({ host: 'new.example.com', target: '/x' })).toBe('one');
    expect(await world.outcome({ host: 'new.example.com' })).toBe('any');
    expect(await world.outcome({ host: 'else.example.com', target: '/x' })).toBe('any');
    expect(await world.outcome({ host: 'h7.many.example.com' })).toBe('root');
  });
});
