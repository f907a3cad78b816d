import { expect, it } from 'vitest';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import {
  endpointSlice,
  type EndpointSliceOptions,
  ingress,
  type MetaOptions,
  type PathOptions,
  service,
  type ServiceOptions,
} from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

/** What other controllers have got wrong, by the numbers of the reports; each at a host of its own. */
const pool = setUp(() => startEchoPool('a', 'b', 'c', 'd'));

const prefix = (path: string, to: string, port?: PathOptions['port']): PathOptions => ({
  path,
  service: to,
  ...(port !== undefined && { port }),
});
const exact = (path: string, to: string): PathOptions => ({ path, service: to, pathType: 'Exact' });
const specific = (path: string, to: string): PathOptions => ({
  path,
  service: to,
  pathType: 'ImplementationSpecific',
});

const route = (
  host: string | undefined,
  paths: readonly (PathOptions | string)[],
  meta: Partial<MetaOptions> = {},
) => ingress({ name: (host ?? 'no-host').replaceAll('*', 'any'), ...meta, rules: [{ host, paths }] });

/** An endpoint at an echo server. */
const at = (name: string, more: object = {}) => ({ address: pool.at(name).host, pod: name, ...more });

function kind(
  name: string,
  slices: readonly Omit<EndpointSliceOptions, 'service'>[],
  options: Omit<ServiceOptions, 'name'> = {},
) {
  const { namespace } = options;
  return [
    service({ name, ...options }),
    ...slices.map((slice, i) =>
      endpointSlice({ name: `${name}-${i}`, service: name, ...(namespace && { namespace }), ...slice }),
    ),
  ];
}

function objects() {
  const port = (name: string) => [{ port: pool.at(name).port }];
  const terminating = { ready: false, serving: true, terminating: true };
  return [
    ...pool.objects,
    route('one.example.com', [prefix('/', 'a'), prefix('/api', 'b')]),
    route('split.example.com', [prefix('/', 'a')], { name: 'split-1' }),
    route('split.example.com', [prefix('/api', 'b')], { name: 'split-2' }),
    ...kind(
      'two-ports',
      [
        { ports: [{ name: 'http', port: pool.at('a').port }], endpoints: [at('a')] },
        { ports: [{ name: 'metrics', port: pool.at('b').port }], endpoints: [at('b')] },
      ],
      {
        ports: [
          { name: 'http', port: 80 },
          { name: 'metrics', port: 9090, targetPort: 'metrics' },
        ],
      },
    ),
    route('two-ports.example.com', [prefix('/', 'two-ports', 'http'), prefix('/metrics', 'two-ports', 9090)]),
    ...kind(
      'rolling',
      [
        { ports: [{ name: 'http', port: pool.at('a').port }], endpoints: [at('a')] },
        { ports: [{ name: 'http', port: pool.at('b').port }], endpoints: [at('b')] },
      ],
      { ports: [{ name: 'http', port: 80, targetPort: 'web' }] },
    ),
    route('rolling.example.com', [prefix('/', 'rolling', 'http')]),
    route('regex.example.com', [specific('/api/[1-9][0-9]*/(.*)', 'b'), prefix('/', 'a')]),
    route('parent.example.com', [prefix('/', 'a')]),
    route('sub.parent.example.com', [prefix('/', 'b')]),
    route('both.example.com', [exact('/', 'a'), prefix('/', 'b')]),
    route('acme.example.com', [
      prefix('/', 'a'),
      specific('/.well-known/acme-challenge/token', 'b'),
      prefix('/api', 'c'),
      specific('/api/sub', 'd'),
    ]),
    route('*.wild.example.com', [prefix('/', 'a')]),
    route('concrete.wild.example.com', [prefix('/', 'b')]),
    route('slash.example.com', [prefix('/prefix/', 'a')]),
    route(undefined, [prefix('/hostless', 'c'), prefix('/both', 'd')]),
    route('with-host.example.com', [prefix('/both', 'a')]),
    ...kind('nobody', []),
    route('claimed.example.com', [prefix('/', 'nobody')], {
      name: 'z-older',
      created: '2020-01-01T00:00:00Z',
    }),
    route('claimed.example.com', [prefix('/', 'a')], { name: 'a-younger' }),
    // Joined by one character that may stand in names, both would be one backend.
    ...kind('c', [{ ports: port('a'), endpoints: [at('a')] }], { namespace: 'a-b' }),
    ...kind('b-c', [{ ports: port('b'), endpoints: [at('b')] }], { namespace: 'a' }),
    route('x.collision.example.com', [prefix('/', 'c')], { namespace: 'a-b' }),
    route('y.collision.example.com', [prefix('/', 'b-c')], { namespace: 'a' }),
    route('missing.example.com', [prefix('/', 'a'), prefix('/solver', 'gone')]),
    route('wrong-port.example.com', [
      prefix('/', 'a'),
      prefix('/number', 'b', 81),
      prefix('/name', 'b', 'web'),
    ]),
    ...kind('twice', [
      { ports: port('a'), endpoints: [at('a', { ready: false })] },
      { ports: port('a'), endpoints: [at('a')] },
    ]),
    route('twice.example.com', [prefix('/', 'twice')]),
    ...kind(
      'dual',
      [
        { addressType: 'IPv6', ports: [{ port: 9 }], endpoints: ['fd00::9'] },
        { addressType: 'IPv4', ports: port('a'), endpoints: [at('a')] },
        { addressType: 'FQDN', ports: port('b'), endpoints: [{ address: 'b.example.com', pod: 'b' }] },
      ],
      { ipFamilies: ['IPv4', 'IPv6'] },
    ),
    route('dual.example.com', [prefix('/', 'dual')]),
    ...kind('headless', [{ ports: port('a'), endpoints: [at('a')] }], { clusterIP: 'None' }),
    route('headless.example.com', [prefix('/', 'headless')]),
    ...kind('manual', [{ ports: port('b'), endpoints: [{ address: pool.at('b').host, pod: null }] }], {
      selector: null,
    }),
    route('manual.example.com', [prefix('/', 'manual')]),
    ...kind('drains', [
      { ports: port('a'), endpoints: [at('a', terminating)] },
      { ports: port('b'), endpoints: [at('b')] },
    ]),
    route('drains.example.com', [prefix('/', 'drains')]),
    ...kind('drained', [{ ports: port('a'), endpoints: [at('a', terminating)] }]),
    route('drained.example.com', [prefix('/', 'drained')]),
    route('resource.example.com', [
      prefix('/', 'a'),
      { path: '/static', backend: { resource: { apiGroup: 'x.example.com', kind: 'Bucket', name: 'b' } } },
    ]),
  ];
}

describeEachLine('what others have got wrong, through HAProxy', (line) => {
  const world = setUp(() => startIngressTraffic(line, objects()));

  it.each([
    ['HT#6: "/" before "/api" in one Ingress does not catch all', 'one', '/api/x', 'b'],
    ['HT#6: nor does it where "/api" is in another Ingress', 'split', '/api', 'b'],
    ['HT#7: "/api" does not catch "/apiary"', 'one', '/apiary', 'a'],
    ['HT#8: two ports of one Service are two backends: the first', 'two-ports', '/', 'a'],
    ['HT#8: and the second', 'two-ports', '/metrics', 'b'],
    ['HT#12: a regular expression is taken literally, never by half', 'regex', '/api/12/x', 'a'],
    ['HT#12: and serves what is written like it', 'regex', '/api/[1-9][0-9]*/(.*)', 'b'],
    ['JM#24: a path that reads like another host is a path', 'sub.parent', '/parent.example.com', 'b'],
    ['JM#24: and so the other way round', 'parent', '/sub.parent.example.com', 'a'],
    ['JM#25: Exact "/" is not lost beside Prefix "/"', 'both', '/', 'a'],
    ['JM#25: nor is Prefix "/" beside Exact "/"', 'both', '/x', 'b'],
    ['JM#26: a solver of ACME is found beside Prefix "/"', 'acme', '/.well-known/acme-challenge/token', 'b'],
    ['JM#26: a prefix is not lost beside a longer one of another type', 'acme', '/api/other', 'c'],
    ['JM#26: nor is the longer one', 'acme', '/api/sub/x', 'd'],
    ['JM#29: a host beats the wildcard that covers it', 'concrete.wild', '/', 'b'],
    ['JM#29: which serves the others', 'other.wild', '/', 'a'],
    ['NGX#52: Prefix "/prefix/" serves what is below', 'slash', '/prefix/foo/bar', 'a'],
    ['NGX#52: and itself without the slash', 'slash', '/prefix', 'a'],
    ['NGX#53: hosts do not break rules without one', 'unknown', '/hostless', 'c'],
    ['NGX#53: a host without a path falls through to rules without one', 'with-host', '/hostless', 'c'],
    ['NGX#53: but serves what it has itself', 'with-host', '/both', 'a'],
    ['NGF#72: namespace a-b, Service c is not namespace a, Service b-c', 'x.collision', '/', 'a'],
    ['NGF#72: and the other way round', 'y.collision', '/', 'b'],
    ['TRF#73: a missing Service takes no other path along', 'missing', '/', 'a'],
    ['CON#78: a wrong port takes no other path along', 'wrong-port', '/', 'a'],
    ['K8S#81: an address in two slices is one server, ready if either says so', 'twice', '/', 'a'],
    ['K8S#83: one slice for each family: the first family of the Service', 'dual', '/', 'a'],
    ['K8S#85: a headless Service is served', 'headless', '/', 'a'],
    ['K8S#85: endpoints without a pod are served', 'manual', '/', 'b'],
    ['JM#45: a terminating endpoint is the last resort', 'drained', '/', 'a'],
    ['JM#45: and gets nothing new while another is ready', 'drains', '/', 'b'],
  ])('%s', async (_title, host, target, server) => {
    for (let i = 0; i < 3; i++) {
      expect(await world.outcome({ host: `${host}.example.com`, target })).toBe(server);
    }
  });

  it.each([
    ['NGX#54: the oldest of two equal claims has the path, endpoints or not', 'claimed', '/'],
    ['TRF#73: a missing Service is 503 for its path', 'missing', '/solver'],
    ['K8S#84: a number that is no port of the Service is 503 for its path', 'wrong-port', '/number'],
    ['K8S#84: so is a name', 'wrong-port', '/name'],
    ['K8S#86: a resource is 503, and does not fall through to "/"', 'resource', '/static/x'],
  ])('%s', async (_title, host, target) => {
    expect(await world.outcome({ host: `${host}.example.com`, target })).toBe('503');
  });

  it('HT#11: slices of one named port with different numbers are each asked at their own', async () => {
    const seen = new Set<string>();
    for (let i = 0; i < 8; i++) seen.add(await world.outcome({ host: 'rolling.example.com' }));
    expect([...seen].sort()).toEqual(['a', 'b']);
  });
});
