import { expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { prefixed } from '../fixtures/prefixed.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { type IngressTraffic, startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { endpointSlice, ingress, service } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

/** An Ingress of its own for a host, with annotations of ours. */
const withAnnotations = (
  host: string,
  annotations: Readonly<Record<string, string>>,
  to = 'both',
): KubeObject =>
  ingress({
    name: host.replace('.example.com', ''),
    annotations: prefixed(annotations),
    rules: [{ host, paths: [{ path: '/', service: to }] }],
  });

const pool = setUp(() => startEchoPool('one', 'two'));
const both = (): KubeObject[] => [
  ...pool.objects,
  service({ name: 'both' }),
  ...(['one', 'two'] as const).map((name) =>
    endpointSlice({
      name: `both-${name}`,
      service: 'both',
      endpoints: [{ address: pool.at(name).host, pod: name }],
      ports: [{ port: pool.at(name).port }],
    }),
  ),
];

/** Who answers, one after the other. */
async function answers(
  world: IngressTraffic,
  host: string,
  requests: readonly { readonly target?: string; readonly headers?: readonly string[] }[],
): Promise<string[]> {
  const found: string[] = [];
  for (const request of requests) found.push(await world.outcome({ host, ...request }));
  return found;
}

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

describeEachLine('load balancing', (line) => {
  const world = setUp(() =>
    startIngressTraffic(line, [
      ...both(),
      withAnnotations('plain.example.com', {}),
      withAnnotations('header.example.com', { 'balance-algorithm': 'hdr(X-User)' }),
      withAnnotations('uri.example.com', { 'balance-algorithm': 'uri' }),
      withAnnotations('query.example.com', { 'balance-algorithm': 'url_param(user)' }),
      withAnnotations('source.example.com', { 'balance-algorithm': 'source' }),
      withAnnotations('least.example.com', { 'balance-algorithm': 'leastconn' }),
      withAnnotations('random.example.com', { 'balance-algorithm': 'random' }),
    ]),
  );

  it('goes round by default', async () => {
    expect(
      new Set(
        await answers(
          world,
          'plain.example.com',
          times(4, () => ({})),
        ),
      ).size,
    ).toBe(2);
  });

  it.each([
    ['header.example.com', (i: number) => ({ headers: [`x-user: ${i}`] })],
    ['uri.example.com', (i: number) => ({ target: `/page/${i}` })],
    ['query.example.com', (i: number) => ({ target: `/?user=${i}` })],
  ] as readonly [
    string,
    (i: number) => { readonly target?: string; readonly headers?: readonly string[] },
  ][])('of %s keeps to the key, and spreads keys', async (host, request) => {
    const first = await answers(world, host, times(30, request));
    expect(await answers(world, host, times(30, request))).toEqual(first);
    expect(new Set(first).size).toBe(2);
  });

  it('by source keeps an address', async () => {
    expect(
      new Set(
        await answers(
          world,
          'source.example.com',
          times(6, () => ({})),
        ),
      ).size,
    ).toBe(1);
  });

  it.each(['least.example.com', 'random.example.com'])('of %s serves', async (host) => {
    expect(
      await answers(
        world,
        host,
        times(4, () => ({})),
      ),
    ).not.toContain('503');
  });
});

describeEachLine('affinity by cookie', (line) => {
  const world = setUp(() =>
    startIngressTraffic(line, [
      ...both(),
      withAnnotations('sticky.example.com', {
        affinity: 'cookie',
        'session-cookie-name': 'SRV',
        'session-cookie-same-site': 'None',
        'session-cookie-domain': 'example.com',
        'session-cookie-max-life': '8h',
        'balance-algorithm': 'roundrobin',
      }),
      withAnnotations('default.example.com', { affinity: 'cookie' }),
      withAnnotations('safe.example.com', { affinity: 'cookie', 'session-cookie-secure': 'true' }),
    ]),
  );
  const setCookie = async (host: string) => {
    const { head } = await world.request({ host });
    return /^set-cookie: (.*)$/im.exec(head)?.[1] ?? '';
  };

  it('sets a cookie that tells nothing of the server', async () => {
    expect(await setCookie('default.example.com')).toMatch(
      /^INGRESSCOOKIE=[0-9a-f]{16}; path=\/; HttpOnly$/i,
    );
    expect(await setCookie('safe.example.com')).toMatch(
      /^INGRESSCOOKIE=[0-9a-f]{16}; path=\/; HttpOnly; Secure$/i,
    );
    expect(await setCookie('sticky.example.com')).toMatch(
      /^SRV=[0-9a-f]{16}[^;]*; path=\/; domain=\.?example\.com; HttpOnly; Secure; SameSite=None$/i,
    );
  });

  it('keeps who brings it', async () => {
    const cookies = new Set(await Promise.all(times(6, () => setCookie('sticky.example.com'))));
    const values = [...cookies].map((cookie) => cookie.split(';', 1)[0] ?? '');
    const servers = [];
    for (const value of values) {
      const found = await answers(
        world,
        'sticky.example.com',
        times(4, () => ({ headers: [`cookie: ${value}`] })),
      );
      expect(new Set(found).size).toBe(1);
      servers.push(found[0]);
    }
    expect(new Set(servers)).toEqual(new Set(['one', 'two']));
  });

  it('takes who brings something else', async () => {
    expect(await answers(world, 'sticky.example.com', [{ headers: ['cookie: SRV=zzz'] }])).not.toContain(
      '503',
    );
  });
});

describeEachLine('retries, checks and limits', (line) => {
  const world = setUp(async () => {
    const gone = [
      service({ name: 'half' }),
      endpointSlice({
        name: 'half-one',
        service: 'half',
        endpoints: [{ address: pool.at('one').host, pod: 'one' }],
        ports: [{ port: pool.at('one').port }],
      }),
      // Nobody listens there.
      endpointSlice({
        name: 'half-gone',
        service: 'half',
        endpoints: [{ address: '127.77.0.1', pod: 'gone' }],
        ports: [{ port: 9 }],
      }),
    ];
    return startIngressTraffic(line, [
      ...both(),
      ...gone,
      withAnnotations('default.example.com', {}, 'half'),
      withAnnotations('never.example.com', { retries: '0' }, 'half'),
      withAnnotations(
        'checked.example.com',
        {
          retries: '0',
          'health-check-interval': '100ms',
          'health-check-uri': '/up?a=1;b#',
          'health-check-fall-count': '1',
        },
        'half',
      ),
      withAnnotations(
        'checks.example.com',
        {
          retries: '0',
          'health-check-interval': '100ms',
          'health-check-uri': '/up?a=1;b',
          'health-check-host': 'Up.example.com',
          'health-check-fall-count': '1',
          'health-check-timeout': '1s',
          'health-check-rise-count': '1',
        },
        'half',
      ),
      withAnnotations('again.example.com', {
        retries: '2',
        'retry-on': 'conn-failure, empty-response, 429, 503',
        'maxconn-server': '7',
        'maxqueue-server': '3',
        'slow-start': '5s',
      }),
      // HAProxy 2.6 does not know it.
      withAnnotations('limited.example.com', { 'retry-on': '429' }),
    ]);
  });

  it('go on with the next server by default, and do not where that is said', async () => {
    expect(
      await answers(
        world,
        'default.example.com',
        times(6, () => ({})),
      ),
    ).toEqual(times(6, () => 'one'));
    expect(
      await answers(
        world,
        'never.example.com',
        times(6, () => ({})),
      ),
    ).toContain('503');
  });

  it('of health take out who does not answer', async () => {
    await expect
      .poll(
        async () =>
          (
            await answers(
              world,
              'checks.example.com',
              times(4, () => ({})),
            )
          ).join(),
        {
          timeout: 10_000,
        },
      )
      .toBe('one,one,one,one');
  });

  it('are what the configuration says', async () => {
    const { body } = await world.request({ host: 'again.example.com', method: 'POST' });
    expect(JSON.parse(body)).toMatchObject({ method: 'POST' });
    expect((await world.request({ host: 'limited.example.com' })).status).toBe(200);
    const config = await world.haproxy.cli('show servers state');
    expect(config).toContain('shop_both_80_');
  });
});
