import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoServer, startEcho } from '../fixtures/echo-server.ts';
import { describeEachLine, type HaproxyLine } from '../fixtures/haproxy-lines.ts';
import { freeAddress } from '../fixtures/haproxy-process.ts';
import { type IngressTraffic, startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import {
  endpointSlice,
  type EndpointSliceOptions,
  ingress,
  type PathOptions,
  service,
  type ServiceOptions,
} from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('a', 'b', 'c', 'd'));

/** An Ingress, Service and slices of one name, served at `<name>.example.com`. */
function site(
  name: string,
  slices: readonly Omit<EndpointSliceOptions, 'service'>[],
  options: Omit<ServiceOptions, 'name'> & { readonly paths?: readonly (PathOptions | string)[] } = {},
) {
  const { paths = [{ path: '/', service: name }], ...serviceOptions } = options;
  return [
    ingress({ name, rules: [{ host: `${name}.example.com`, paths }] }),
    service({ name, ...serviceOptions }),
    ...slices.map((slice, i) => endpointSlice({ name: `${name}-${i}`, service: name, ...slice })),
  ];
}

const at = (name: string, target = '/') => ({ host: `${name}.example.com`, target });

/** Who answers in so many requests, each once. */
async function answering(world: IngressTraffic, name: string, requests = 8): Promise<string[]> {
  const seen = new Set<string>();
  for (let i = 0; i < requests; i++) seen.add(await world.outcome(at(name)));
  return [...seen].sort();
}

function suite(
  title: string,
  objects: () => ReturnType<typeof site>,
  tests: (world: () => IngressTraffic) => void,
) {
  describeEachLine(title, (line: HaproxyLine) => {
    const world = setUp(() => startIngressTraffic(line, objects()));
    tests(() => world);
  });
}

const one = (name: string, more: object = {}) => ({
  ports: [{ port: pool.at(name).port }],
  endpoints: [{ address: pool.at(name).host, pod: name, ...more }],
});
const terminating = { ready: false, serving: true, terminating: true };

suite(
  'endpoints: readiness',
  () => [
    ...site('nil-conditions', [one('a'), one('b', { ready: null, serving: null, terminating: null })]),
    ...site('unready', [one('a'), one('b', { ready: false })]),
    ...site('only-unready', [one('a', { ready: false })]),
    ...site('draining', [one('a'), one('b', terminating)]),
    ...site('only-draining', [one('a', terminating), one('b', { ready: false })]),
    ...site('gone', [one('a', { ready: false, serving: false, terminating: true })]),
    ...site('empty', [{ endpoints: [] }, { endpoints: null }]),
    ...site('dead', [
      one('a'),
      { ports: [{ port: pool.at('a').port }], endpoints: ['127.254.254.253', '127.254.254.254'] },
    ]),
  ],
  (world) => {
    it.each([
      ['unset conditions are not taken for "not ready"', 'nil-conditions', ['a', 'b']],
      ['an endpoint that is not ready gets no traffic', 'unready', ['a']],
      ['only endpoints that are not ready: 503 at once', 'only-unready', ['503']],
      ['a terminating endpoint gets no new requests while another is ready', 'draining', ['a']],
      ['terminating endpoints serve on when none is ready', 'only-draining', ['a']],
      ['an endpoint that serves no longer is no endpoint', 'gone', ['503']],
      ['a Service without endpoints: 503 for its path', 'empty', ['503']],
      ['an endpoint that refuses connections costs no request', 'dead', ['a']],
    ])('%s', async (_title, name, expected) => {
      expect(await answering(world(), name)).toEqual(expected);
    });

    it('keeps what is not ready in maintenance, so that readiness is one command', async () => {
      await world().haproxy.cli('set server shop_only-unready_80/a state ready');
      expect(await answering(world(), 'only-unready')).toEqual(['a']);
      await world().haproxy.cli('set server shop_only-unready_80/a state maint');
    });
  },
);

suite(
  'endpoints: ports',
  () => {
    const twoPorts = [
      { name: 'http', port: 80, targetPort: 'web' },
      { name: 'metrics', port: 9090 },
    ];
    const named = (name: string) => [{ name: 'http', port: pool.at(name).port }];
    return [
      ...site(
        'two-ports',
        [
          {
            ports: [...named('a'), { name: 'metrics', port: pool.at('b').port }],
            endpoints: [{ address: pool.at('a').host, pod: 'a' }],
          },
          {
            ports: [{ name: 'metrics', port: pool.at('b').port }],
            endpoints: [{ address: pool.at('b').host, pod: 'b' }],
          },
        ],
        {
          ports: twoPorts,
          paths: [
            { path: '/', service: 'two-ports', port: 'http' },
            { path: '/metrics', service: 'two-ports', port: 9090 },
            { path: '/wrong-name', service: 'two-ports', port: 'grpc' },
            { path: '/wrong-number', service: 'two-ports', port: 8080 },
          ],
        },
      ),
      ...site(
        'per-slice',
        ['a', 'b'].map((name) => ({
          ports: named(name),
          endpoints: [{ address: pool.at(name).host, pod: name }],
        })),
        { ports: twoPorts },
      ),
      ...site('target-port', [one('c')], { ports: [{ port: 80, targetPort: 9 }] }),
      ...site('one-bad-slice', [
        one('a'),
        { ports: [{ port: 0 }], endpoints: [pool.at('b').host] },
        { ports: null, endpoints: [pool.at('b').host] },
      ]),
    ];
  },
  (world) => {
    it('two ports of one Service are not mixed up', async () => {
      expect(await world().outcome(at('two-ports'))).toBe('a');
      expect(await world().outcome(at('two-ports', '/metrics'))).not.toBe('a');
    });

    it.each(['/wrong-name', '/wrong-number'])(
      'a missing port is 503 for its path only: %s',
      async (target) => {
        expect(await world().outcome(at('two-ports', target))).toBe('503');
        expect(await world().outcome(at('two-ports', '/'))).toBe('a');
      },
    );

    it('different numbers of one named port are used per slice', async () => {
      expect(await answering(world(), 'per-slice')).toEqual(['a', 'b']);
    });

    it('the number of the slice counts, not the target port of the Service', async () => {
      expect(await answering(world(), 'target-port')).toEqual(['c']);
    });

    it('an impossible port in one slice does not lose the others', async () => {
      expect(await answering(world(), 'one-bad-slice')).toEqual(['a']);
    });
  },
);

suite(
  'endpoints: slices and Services of all kinds',
  () => [
    ...site('duplicate', [one('a', { ready: false }), one('a')]),
    ...site('headless', [one('a')], { clusterIP: 'None' }),
    ...site('no-selector', [one('a', { pod: null })], { selector: null }),
    ...site('unlabelled', []),
    endpointSlice({ name: 'unlabelled', service: null, ...one('a') }),
    ...site('both-ports', [{ ...one('a'), ports: [{ name: 'web', port: pool.at('a').port }] }], {
      paths: [
        { path: '/number', service: 'both-ports', port: 80 },
        { path: '/name', service: 'both-ports', port: 'web' },
      ],
      ports: [{ name: 'web', port: 80 }],
    }),
    ...site('not-there', []).filter(({ kind }) => kind !== 'Service'),
    ...site('resource', [], {
      paths: [
        { path: '/', service: 'headless' },
        { path: '/static', backend: { resource: { apiGroup: 'x.example.com', kind: 'Bucket', name: 'b' } } },
      ],
    }),
    // Joined by dashes, both would be the backend a-b-c.
    ingress({
      namespace: 'a-b',
      name: 'x',
      rules: [{ host: 'x.example.com', paths: [{ path: '/', service: 'c' }] }],
    }),
    service({ namespace: 'a-b', name: 'c' }),
    endpointSlice({ namespace: 'a-b', service: 'c', ...one('c') }),
    ingress({
      namespace: 'a',
      name: 'y',
      rules: [{ host: 'y.example.com', paths: [{ path: '/', service: 'b-c' }] }],
    }),
    service({ namespace: 'a', name: 'b-c' }),
    endpointSlice({ namespace: 'a', service: 'b-c', ...one('d') }),
    // One name in two namespaces.
    ingress({
      namespace: 'other',
      rules: [{ host: 'other.example.com', paths: [{ path: '/', service: 'headless' }] }],
    }),
    service({ namespace: 'other', name: 'headless' }),
    endpointSlice({ namespace: 'other', service: 'headless', ...one('b') }),
    // The oldest claim wins, even though nobody is behind it.
    ingress({
      name: 'older',
      created: '2020-01-01T00:00:00Z',
      rules: [{ host: 'claimed.example.com', paths: [{ path: '/', service: 'empty' }] }],
    }),
    service({ name: 'empty' }),
    ingress({
      name: 'younger',
      rules: [
        {
          host: 'claimed.example.com',
          paths: [
            { path: '/', service: 'headless' },
            { path: '/free', service: 'headless' },
          ],
        },
      ],
    }),
  ],
  (world) => {
    it.each([
      ['one address in two slices is one server, and ready if either says so', 'duplicate', 'a'],
      ['a headless Service is served', 'headless', 'a'],
      ['a Service without a selector is served from hand-made slices', 'no-selector', 'a'],
      ['a slice without the label belongs to no Service, whatever its name', 'unlabelled', '503'],
      ['a missing Service is 503 for its path', 'not-there', '503'],
      ['namespace a-b, Service c is not namespace a, Service b-c', 'x', 'c'],
      ['namespace a, Service b-c is not namespace a-b, Service c', 'y', 'd'],
      ['Services of one name in two namespaces are not mixed', 'other', 'b'],
      ['of two Ingresses with one path the oldest has it, endpoints or not', 'claimed', '503'],
    ])('%s', async (_title, name, expected) => {
      expect(await answering(world(), name, 4)).toEqual([expected]);
    });

    it('an Ingress that lost one path keeps its others', async () => {
      expect(await world().outcome(at('claimed', '/free'))).toBe('a');
    });

    it('a resource backend is 503 and does not fall through to "/"', async () => {
      expect(await world().outcome(at('resource', '/static/x'))).toBe('503');
      expect(await world().outcome(at('resource', '/'))).toBe('a');
    });

    it('a port named and numbered by two paths is served for both', async () => {
      expect(await world().outcome(at('both-ports', '/number'))).toBe('a');
      expect(await world().outcome(at('both-ports', '/name'))).toBe('a');
    });

    it('a changed address of a pod reaches every backend made from its Service', async () => {
      world().put(
        endpointSlice({
          name: 'both-ports-0',
          service: 'both-ports',
          ports: [{ name: 'web', port: pool.at('d').port }],
          endpoints: [{ address: pool.at('d').host, pod: 'a' }],
        }),
      );
      await world().deploy();
      expect(await world().outcome(at('both-ports', '/number'))).toBe('d');
      expect(await world().outcome(at('both-ports', '/name'))).toBe('d');
    });
  },
);

describeEachLine('endpoints: more than a thousand', (line) => {
  let echo: EchoServer;
  let world: IngressTraffic;
  beforeAll(async () => {
    const { port } = await freeAddress();
    echo = await startEcho('all', { host: '0.0.0.0', port });
    const slices = Array.from({ length: 12 }, (_, s) => ({
      ports: [{ port }],
      endpoints: Array.from({ length: 100 }, (_unused, e) => ({
        address: `127.77.${s}.${e + 1}`,
        pod: `web-${s}-${e}`,
      })),
    }));
    world = await startIngressTraffic(line, site('many', slices));
  });
  afterAll(async () => {
    await world.stop();
    await echo.stop();
  });

  it('all slices count, none is cut off', async () => {
    const servers = await world.haproxy.cli('show servers state shop_many_80');
    expect(servers.match(/ shop_many_80 \d+ web-/g)).toHaveLength(1200);
    const addresses = new Set<string>();
    for (let i = 0; i < 30; i++) addresses.add((await world.echo(at('many'))).address);
    expect(addresses.size).toBe(30);
  });
});

const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
);

describe.skipIf(!hasIpv6)('with IPv6', () => {
  const six = setUp(async () => {
    const { port } = await freeAddress();
    return startEcho('six', { host: '::1', port });
  });

  suite(
    'endpoints: dual stack',
    () => {
      const slices = () => [
        { ...one('a') },
        { addressType: 'IPv6', ports: [{ port: six.port }], endpoints: [{ address: '::1', pod: 'a' }] },
      ];
      return [
        ...site('prefers-four', slices(), { ipFamilies: ['IPv4', 'IPv6'] }),
        ...site('prefers-six', slices(), { ipFamilies: ['IPv6', 'IPv4'] }),
        ...site('only-six', slices().slice(1), { ipFamilies: ['IPv4', 'IPv6'] }),
        ...site('without-pod', [
          { addressType: 'IPv6', ports: [{ port: six.port }], endpoints: [{ address: '::1', pod: null }] },
        ]),
        ...site('names', [{ addressType: 'FQDN', endpoints: [{ address: 'a.example.com' }] }, one('b')]),
      ];
    },
    (world) => {
      it.each([
        ['the first family of the Service is used, not both', 'prefers-four', 'a'],
        ['IPv6 first is IPv6', 'prefers-six', 'six'],
        ['the other family serves where the first has no endpoints', 'only-six', 'six'],
        ['an IPv6 endpoint without a pod has a name that HAProxy takes', 'without-pod', 'six'],
        ['a slice of names is left out, the others serve', 'names', 'b'],
      ])('%s', async (_title, name, expected) => {
        expect(await answering(world(), name, 4)).toEqual([expected]);
      });
    },
  );
});
