import { describe, expect, it } from 'vitest';
import { ask, protocols } from '../fixtures/ask.ts';
import { createCertificatePool } from '../fixtures/certificate-pool.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { ingress, ingressClass, type PathOptions, serviceBackend } from '../fixtures/kube-objects.ts';
import { rawRequest } from '../fixtures/raw-http.ts';
import { setUp } from '../fixtures/set-up.ts';

/**
 * What the documentation of Ingress says (kubernetes.io, Concepts: Ingress; reference of networking.k8s.io/v1), sentence by sentence and with its own examples, through
 * HAProxy. What it leaves to the controller is in docs/ingress.md.
 */
const pool = setUp(() => startEchoPool('one', 'two', 'three', 'rest'));
const certificates = setUp(() => createCertificatePool());

type Named = readonly [path: string, service: string];
const paths = (pathType: string, ...named: readonly Named[]): PathOptions[] =>
  named.map(([path, service]) => ({ path, pathType, service }));
const exact = (...named: readonly Named[]) => paths('Exact', ...named);
const prefix = (...named: readonly Named[]) => paths('Prefix', ...named);
const specific = (...named: readonly Named[]) => paths('ImplementationSpecific', ...named);

/** Paths of one host, what is asked for, and who answers. `rest` is the default backend of every host. */
const examples: readonly (readonly [
  title: string,
  paths: readonly PathOptions[],
  answers: Readonly<Record<string, string>>,
])[] = [
  ['Prefix / matches all paths', prefix(['/', 'one']), { '/': 'one', '/x': 'one', '/x/y/': 'one' }],
  [
    'Exact /foo matches /foo, neither /bar nor /foo/',
    exact(['/foo', 'one']),
    { '/foo': 'one', '/bar': 'rest', '/foo/': 'rest', '/FOO': 'rest' },
  ],
  ['Exact /foo/ does not match /foo', exact(['/foo/', 'one']), { '/foo': 'rest', '/foo/': 'one' }],
  ['Prefix /foo matches /foo and /foo/', prefix(['/foo', 'one']), { '/foo': 'one', '/foo/': 'one' }],
  ['Prefix /foo/ matches /foo and /foo/', prefix(['/foo/', 'one']), { '/foo': 'one', '/foo/': 'one' }],
  ['Prefix /aaa/bb does not match /aaa/bbb', prefix(['/aaa/bb', 'one']), { '/aaa/bbb': 'rest' }],
  [
    'Prefix /aaa/bbb matches itself, with a slash, and what is below, and no longer word',
    prefix(['/aaa/bbb', 'one']),
    {
      '/aaa/bbb': 'one',
      '/aaa/bbb/': 'one',
      '/aaa/bbb/ccc': 'one',
      '/aaa/bbbxyz': 'rest',
      '/aaa': 'rest',
      '/AAA/bbb': 'rest',
    },
  ],
  [
    'Prefix /aaa/bbb/ ignores its trailing slash',
    prefix(['/aaa/bbb/', 'one']),
    { '/aaa/bbb': 'one', '/aaa/bbb/ccc': 'one' },
  ],
  [
    'the longest of several prefixes has priority',
    prefix(['/', 'one'], ['/aaa', 'two'], ['/aaa/bbb', 'three']),
    { '/ccc': 'one', '/aaa/ccc': 'two', '/aaa/bbb': 'three', '/aaa/bbb/ccc': 'three', '/aaa/bbbb': 'two' },
  ],
  ['what no prefix matches goes to the default backend', prefix(['/aaa', 'one']), { '/ccc': 'rest' }],
  [
    'Exact /foo has priority over Prefix /foo, whichever is written first',
    [...prefix(['/foo', 'one']), ...exact(['/foo', 'two'])],
    { '/foo': 'two', '/foo/': 'one', '/foo/x': 'one' },
  ],
  [
    'Exact has priority over a Prefix that is written before with the same path, too',
    [...exact(['/foo', 'two']), ...prefix(['/foo', 'one'])],
    { '/foo': 'two', '/foo/': 'one' },
  ],
  [
    'of Prefix /foo and Prefix /foo/ the longer one has priority',
    prefix(['/foo', 'one'], ['/foo/', 'two']),
    { '/foo': 'two', '/foo/': 'two', '/foo/x': 'two', '/foobar': 'rest' },
  ],
  [
    'and so whichever is written first',
    prefix(['/foo/', 'two'], ['/foo', 'one']),
    { '/foo': 'two', '/foo/x': 'two' },
  ],
  [
    'ImplementationSpecific is read like Prefix, also without a path',
    [...specific(['/foo/', 'one']), { pathType: 'ImplementationSpecific', service: 'two' }],
    { '/foo': 'one', '/foo/x': 'one', '/foobar': 'two' },
  ],
  [
    'the query is no part of the path',
    [...exact(['/foo', 'one']), ...prefix(['/bar', 'two'])],
    { '/foo?/bar': 'one', '/bar?x=/foo': 'two', '/?/foo': 'rest' },
  ],
];
const hostOf = (i: number) => `example-${i}.test`;

describeEachLine('Ingress as it is documented', (line) => {
  const world = setUp(async () => {
    const rule = (host: string | undefined, service: string) => ({ host, paths: prefix(['/', service]) });
    return startIngressTraffic(
      line,
      [
        ...pool.objects,
        certificates.secretOf('fallback'),
        certificates.secretOf('shop'),
        certificates.secretOf('wild'),
        ...examples.map(([, of], i) =>
          ingress({ name: `example-${i}`, rules: [{ host: hostOf(i), paths: of }] }),
        ),
        ingress({ name: 'rest', defaultBackend: serviceBackend('rest') }),
        ingress({ name: 'foo', rules: [rule('*.foo.com', 'one')] }),
        ingress({ name: 'virtual', rules: [rule('first.bar.com', 'one'), rule('second.bar.com', 'two')] }),
        ingress({
          name: 'own-rest',
          defaultBackend: serviceBackend('two'),
          rules: [{ host: 'own-rest.test', paths: prefix(['/aaa', 'one']) }, { host: 'catch-all.test' }],
        }),
        ingress({
          name: 'bad-hosts',
          rules: ['192.0.2.1', '*', '*.*.star.test', 'f*.star.test', 'star.test:8080', 'x.*.star.test'].map(
            (host) => rule(host, 'one'),
          ),
        }),
        ingress({
          name: 'resource',
          rules: [
            {
              host: 'resource.test',
              paths: [
                {
                  path: '/both',
                  backend: {
                    ...(serviceBackend('one') as object),
                    resource: { apiGroup: 'k8s.example.com', kind: 'StorageBucket', name: 'icons' },
                  },
                },
                ...prefix(['/', 'two']),
              ],
            },
          ],
        }),
        ingress({
          name: 'named-both',
          rules: [
            {
              host: 'ports.test',
              paths: [
                { path: '/both', backend: serviceBackend('one', { raw: { number: 80, name: 'web' } }) },
                { path: '/neither', backend: serviceBackend('one', { raw: {} }) },
                { path: '/elsewhere', backend: serviceBackend('kube-dns') },
              ],
            },
          ],
        }),
        ingress({
          name: 'tls',
          rules: [rule('shop.example.com', 'one'), rule('other.example.com', 'two')],
          tls: [
            { hosts: ['shop.example.com'], secretName: 'shop' },
            { hosts: ['other.example.com'], secretName: 'wild' },
            { hosts: ['bare.example.net'] },
          ],
        }),
        ingress({ name: 'bare', rules: [rule('bare.example.net', 'three')] }),
        ingressClass({ name: 'foreign', controller: 'example.com/ingress-controller' }),
        {
          ...ingressClass({ name: 'scoped' }),
          spec: {
            controller: 'haproxy-haptic.org/controller',
            parameters: {
              apiGroup: 'k8s.example.com',
              kind: 'IngressParameter',
              name: 'external',
              scope: 'Namespace',
              namespace: 'external',
            },
          },
        },
        ...[
          ['by-name', 'haptic', undefined],
          ['by-annotation', null, 'haptic'],
          ['of-another', 'foreign', undefined],
          ['of-another-by-annotation', null, 'foreign'],
          ['of-none', 'missing', undefined],
          ['without', null, undefined],
          ['parametrised', 'scoped', undefined],
        ].map(([name = '', className, annotation]) =>
          ingress({
            name: name ?? '',
            className: className ?? null,
            rules: [rule(`${name}.class.test`, 'one')],
            ...(annotation && { annotations: { 'kubernetes.io/ingress.class': annotation } }),
          }),
        ),
      ],
      { defaultCertificates: [{ namespace: 'shop', name: 'fallback' }] },
    );
  });

  describe.each(protocols)('over %s', (protocol) => {
    const outcome = async (host: string, target = '/') =>
      (await ask(world, protocol, { host, target })).outcome;

    it.each(examples.map(([title, , answers], i) => [title, hostOf(i), answers] as const))(
      '%s',
      async (_title, host, answers) => {
        const found: Record<string, string> = {};
        for (const target of Object.keys(answers)) found[target] = await outcome(host, target);
        expect(found).toEqual(answers);
      },
    );

    it.each([
      ['a wildcard matches by the suffix that is shared', 'bar.foo.com', 'one'],
      ['a wildcard covers a single label', 'baz.bar.foo.com', 'rest'],
      ['a wildcard does not match the domain itself', 'foo.com', 'rest'],
      ['several names at one address: the first', 'first.bar.com', 'one'],
      ['several names at one address: the second', 'second.bar.com', 'two'],
      ['no rules and a default backend: all traffic that no host or path matches', 'third.bar.com', 'rest'],
      ['a rule without paths is a catch-all to the default backend of its object', 'catch-all.test', 'two'],
      ['an address is no host of a rule', '192.0.2.1', 'rest'],
      ['a wildcard is the first label as a whole', 'foo.star.test', 'rest'],
      ['and no label in the middle', 'x.y.star.test', 'rest'],
      ['and a port is no part of a host', 'star.test', 'rest'],
      ['the class is the one that is named', 'by-name.class.test', 'one'],
      ['the old annotation is honoured', 'by-annotation.class.test', 'one'],
      ['a class of another controller is not ours', 'of-another.class.test', 'rest'],
      ['nor is one by the annotation', 'of-another-by-annotation.class.test', 'rest'],
      ['nor one that is not there', 'of-none.class.test', 'rest'],
      ['without a class and a default one nobody is meant', 'without.class.test', 'rest'],
      ['parameters of a class, of a namespace or not, leave it as it is', 'parametrised.class.test', 'one'],
    ])('%s', async (_title, host, server) => {
      expect(await outcome(host)).toBe(server);
    });

    it('requests that match no path of an object go to its default backend', async () => {
      expect(await outcome('own-rest.test', '/aaa/x')).toBe('one');
      expect(await outcome('own-rest.test', '/ccc')).toBe('two');
    });

    it('a resource and a Service exclude each other: such a path has no backend', async () => {
      expect(await outcome('resource.test', '/both/x')).toBe('503');
      expect(await outcome('resource.test', '/x')).toBe('two');
    });

    it.each(['/both', '/neither', '/elsewhere'])(
      'a Service is named with one port, by number or name, in the namespace of the object: %s',
      async (target) => {
        expect(await outcome('ports.test', target)).toBe('503');
      },
    );
  });

  it('a request without a host gets what rules without a host say', async () => {
    const response = await rawRequest(world.http, { host: null, version: '1.0' });
    expect([response.status, response.body]).toEqual([200, expect.stringContaining('"rest"')]);
  });

  it('hosts are multiplexed on one port by the name that is asked for in the handshake', async () => {
    expect(await certificates.shownBy(world, 'shop.example.com')).toBe('shop');
    expect(await certificates.shownBy(world, 'other.example.com')).toBe('wild');
  });

  it('hosts without a secretName have the default certificate, and their routes', async () => {
    expect(await certificates.shownBy(world, 'bare.example.net')).toBe('fallback');
    expect((await ask(world, 'HTTPS', { host: 'bare.example.net' })).outcome).toBe('three');
  });

  it('the name in the handshake decides on the certificate, the Host header on the route', async () => {
    const { outcome } = await ask(world, 'HTTPS', {
      host: 'other.example.com',
      tls: {
        servername: 'shop.example.com',
        ca: certificates.certificateOf('shop').cert,
        rejectUnauthorized: true,
        checkServerIdentity: (name, { subjectaltname }) =>
          name === 'shop.example.com' && subjectaltname === 'DNS:shop.example.com'
            ? undefined
            : new Error(`${name} got ${subjectaltname}`),
      },
    });
    expect(outcome).toBe('two');
  });

  it('what cannot be is said of the objects', () => {
    const told = world.started.problems.map(
      ({ owner: { kind, name }, severity, reason, field }) =>
        `${severity} ${kind} ${name} ${reason} ${field}`,
    );
    const pathsOf = (i: number) => `spec.rules[0].http.paths[${i}]`;
    expect(told.sort()).toEqual(
      [
        `warning Ingress example-12 ConflictLost ${pathsOf(0)}`,
        `warning Ingress example-13 ConflictLost ${pathsOf(1)}`,
        ...[0, 1, 2, 3, 4, 5].map((i) => `error Ingress bad-hosts InvalidHost spec.rules[${i}].host`),
        `error Ingress resource ResourceBackendUnsupported ${pathsOf(0)}.backend.resource`,
        `error Ingress named-both InvalidBackend ${pathsOf(0)}.backend.service.port`,
        `error Ingress named-both InvalidBackend ${pathsOf(1)}.backend.service.port`,
        `error Ingress named-both BackendMissing ${pathsOf(2)}.backend.service.name`,
        'warning IngressClass scoped ParametersUnsupported spec.parameters',
      ].sort(),
    );
  });
});

describeEachLine('classes that are the default', (line) => {
  const unclassed = ingress({ className: null, rules: [{ host: 'a.test', paths: prefix(['/', 'one']) }] });
  const foreign = 'example.com/ingress-controller';
  it.each([
    ['ours alone is the class of those without', [['ours', true, '2026-01-01']], 'one'],
    ['a foreign one leaves them alone', [['foreign', true, '2026-01-01']], '404'],
    [
      'of two the newest counts: ours',
      [
        ['foreign', true, '2026-01-01'],
        ['ours', true, '2026-01-02'],
      ],
      'one',
    ],
    [
      'of two the newest counts: the other',
      [
        ['foreign', true, '2026-01-02'],
        ['ours', true, '2026-01-01'],
      ],
      '404',
    ],
    ['a class that is not marked is none', [['ours', false, '2026-01-01']], '404'],
  ] as const)('%s', async (_title, classes, outcome) => {
    const world = await startIngressTraffic(line, [
      ...pool.objects,
      unclassed,
      ...classes.map(([name, isDefault, day]) =>
        ingressClass({
          name,
          isDefault,
          created: `${day}T00:00:00Z`,
          ...(name === 'foreign' ? { controller: foreign } : {}),
        }),
      ),
    ]);
    try {
      expect(await world.outcome({ host: 'a.test' })).toBe(outcome);
    } finally {
      await world.stop();
    }
  });
});
