import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type IssuedCertificate, issueCertificate } from '../../../fixtures/certificates.ts';
import { ingress, type IngressOptions, objectKey, secret } from '../../../fixtures/kube-objects.ts';
import { createTlsWorld } from './tls-world.ts';

const [older, newer] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];

describe('certificates of hosts', () => {
  let first: IssuedCertificate;
  let second: IssuedCertificate;
  let rsa: IssuedCertificate;
  beforeAll(async () => {
    first = await issueCertificate({ names: ['a.example.com', '*.b.example.com'] });
    second = await issueCertificate({ names: ['a.example.com'] });
    rsa = await issueCertificate({ names: ['a.example.com'], keys: 'rsa' });
  });
  const secretOf = ({ cert, key }: IssuedCertificate, name: string, namespace = 'shop') =>
    secret({ name, namespace, data: { 'tls.crt': cert, 'tls.key': key } });
  const using = (name: string, secretName: string, hosts: readonly string[], options: IngressOptions = {}) =>
    ingress({ name, tls: [{ hosts, secretName }], ...options });

  it('are those of the Secrets that objects name, each once', () => {
    const world = createTlsWorld();
    world.put(
      secretOf(first, 'one'),
      secretOf(second, 'unused'),
      using('x', 'one', ['A.example.com', '*.example.org']),
      using('y', 'one', ['a.example.com', 'c.example.com']),
    );
    expect(world.lines()).toEqual(['shop_one.pem *.example.org a.example.com c.example.com']);
    expect(world.problemLines()).toEqual([]);
    expect(world.tlsHosts.keys()).toEqual(['*.example.org', 'a.example.com', 'c.example.com']);
  });

  it('go to the oldest object, then by namespace and name, and the others are told', () => {
    const world = createTlsWorld();
    world.put(
      secretOf(first, 'one'),
      secretOf(second, 'two'),
      secretOf(second, 'two', 'apps'),
      using('b', 'one', ['a.example.com'], { created: older }),
      using('a', 'two', ['a.example.com'], { created: newer }),
    );
    expect(world.lines()).toEqual(['shop_one.pem a.example.com']);
    expect(world.problemLines()).toEqual(['Ingress shop/a ConflictLost spec.tls[0].hosts[0]']);
    world.put(using('z', 'two', ['a.example.com'], { created: older, namespace: 'apps' }));
    expect(world.lines()).toEqual(['apps_two.pem a.example.com']);
  });

  it('of another type of key may be added by the same object, and by no other', () => {
    const world = createTlsWorld();
    const hosts = ['a.example.com'];
    world.put(
      secretOf(first, 'one'),
      secretOf(rsa, 'two'),
      secretOf(rsa, 'other', 'apps'),
      using('x', '', hosts, {
        created: older,
        tls: [
          { hosts, secretName: 'two' },
          { hosts, secretName: 'one' },
        ],
      }),
    );
    expect(world.lines()).toEqual(['shop_one.pem a.example.com', 'shop_two.pem a.example.com']);
    world.put(using('x', 'one', hosts, { created: older }));
    world.put(using('y', 'other', hosts, { created: newer, namespace: 'apps' }));
    expect(world.lines()).toEqual(['shop_one.pem a.example.com']);
    expect(world.problemLines()).toEqual(['Ingress apps/y ConflictLost spec.tls[0].hosts[0]']);
  });

  it('are for the hosts of the rules where the object names none, and those of the certificate for a rule without host', () => {
    const world = createTlsWorld();
    world.put(
      secretOf(first, 'one'),
      ingress({
        name: 'x',
        rules: [{ host: 'r.example.com' }, { host: 'bad host' }],
        tls: [{ secretName: 'one' }],
      }),
    );
    expect(world.lines()).toEqual(['shop_one.pem r.example.com']);
    world.put(ingress({ name: 'x', rules: [{ paths: ['/'] }], tls: [{ secretName: 'one' }] }));
    expect(world.lines()).toEqual(['shop_one.pem *.b.example.com a.example.com']);
    // Whoever names the host comes first, however young.
    world.put(secretOf(second, 'two'), using('named', 'two', ['a.example.com'], { created: newer }));
    expect(world.lines()).toEqual(['shop_one.pem *.b.example.com', 'shop_two.pem a.example.com']);
  });

  it('that are missing or broken make room for the next, and nobody else suffers', () => {
    const world = createTlsWorld();
    world.put(
      secretOf(second, 'two'),
      secret({ name: 'bad', data: { 'tls.crt': 'x', 'tls.key': 'y' } }),
      using('x', 'none', ['a.example.com'], { created: older }),
      using('y', 'two', ['a.example.com', 'b.example.com'], { created: newer }),
      using('z', 'bad', ['c.example.com']),
    );
    expect(world.lines()).toEqual(['shop_two.pem a.example.com b.example.com']);
    expect(world.tlsHosts.keys()).toEqual(['a.example.com', 'b.example.com']);
    expect(world.problemLines()).toEqual([
      'Ingress shop/x CertificateMissing spec.tls[0].secretName',
      'Ingress shop/z CertificateInvalid spec.tls[0].secretName',
      'Secret shop/bad CertificateInvalid data',
    ]);
    world.put(secretOf(first, 'none'), secretOf(rsa, 'bad'));
    expect(world.lines()).toEqual([
      'shop_bad.pem c.example.com',
      'shop_none.pem a.example.com',
      'shop_two.pem b.example.com',
    ]);
  });

  it('that break are served as they were, until they are whole again', () => {
    const world = createTlsWorld();
    world.put(secretOf(first, 'one'), using('x', 'one', ['a.example.com']));
    const before = world.certificates.peek('shop_one.pem');
    world.put(secret({ name: 'one', data: { 'tls.crt': first.cert, 'tls.key': second.key } }));
    expect(world.certificates.peek('shop_one.pem')).toBe(before);
    expect(world.problemLines()).toEqual([
      'Ingress shop/x CertificateInvalid spec.tls[0].secretName',
      'Secret shop/one CertificateInvalid data',
    ]);
    world.put(secretOf(second, 'one'));
    expect(world.certificates.peek('shop_one.pem')?.chain).toBe(second.cert);
    expect(world.problemLines()).toEqual([]);
  });

  it('whose Secret is gone or empty are served for the grace time, and no longer', () => {
    const world = createTlsWorld({ graceMs: 1_000 });
    world.put(
      secretOf(first, 'one'),
      using('x', 'one', ['a.example.com']),
      using('y', 'none', ['b.example.com']),
    );
    world.remove(secretOf(first, 'one'));
    expect(world.lines()).toEqual(['shop_one.pem a.example.com']);
    expect(world.waits()).toEqual(['shop/none missing passed', 'shop/one missing passed']);
    expect(world.problemLines()).toEqual([
      'Ingress shop/x CertificateMissing spec.tls[0].secretName',
      'Ingress shop/y CertificateMissing spec.tls[0].secretName',
    ]);
    // It comes back in time, and goes again.
    world.put(secretOf(second, 'one'));
    expect(world.certificates.peek('shop_one.pem')?.chain).toBe(second.cert);
    world.put(secret({ name: 'one', data: { 'tls.crt': '', 'tls.key': '' } }));
    expect(world.lines()).toEqual(['shop_one.pem a.example.com']);
    world.tell('shop/one missing');
    expect(world.lines()).toEqual([]);
    expect(world.tlsHosts.keys()).toEqual([]);
    expect(world.problemLines()).toContain('Ingress shop/x CertificateMissing spec.tls[0].secretName');
  });

  it('are served before and after their time, and whoever names them is told', async () => {
    const world = createTlsWorld();
    const notBefore = new Date(Date.now() - 3_600_000);
    const { cert, key, certificate } = await issueCertificate({ notBefore });
    world.put(secretOf({ cert, key } as IssuedCertificate, 'one'), using('x', 'one', ['a.example.com']));
    const [from, until] = [certificate.notBefore.getTime(), certificate.notAfter.getTime()];
    expect(world.waits()).toEqual([`shop/one from ${from} ahead`, `shop/one until ${until} passed`]);
    const entry = world.certificates.peek('shop_one.pem');
    world.tell(`shop/one until ${until}`);
    expect(world.problemLines()).toEqual([
      'Ingress shop/x CertificateExpired spec.tls[0].secretName',
      'Secret shop/one CertificateExpired data',
    ]);
    world.tell(`shop/one from ${from}`);
    expect(world.problems().map(({ reason, severity }) => `${severity} ${reason}`)).toEqual([
      'warning CertificateNotYetValid',
      'warning CertificateNotYetValid',
    ]);
    expect(world.certificates.peek('shop_one.pem')).toBe(entry);
    world.put(secretOf(first, 'one'));
    expect(world.problemLines()).toEqual([]);
  });

  it('have as default the first Secret that can be served', () => {
    const defaults = [
      { namespace: 'shop', name: 'one' },
      { namespace: 'own', name: 'two' },
    ];
    const world = createTlsWorld({ defaults });
    const shown = () => {
      const [file = ''] = world.defaultCertificates.keys();
      return world.defaultCertificates.peek(file)?.chain;
    };
    expect(shown()).toBeUndefined();
    expect(world.listeners.peek('https')?.hasDefault).toBe(false);
    expect(world.problemLines()).toEqual([
      'Secret own/two CertificateMissing ',
      'Secret shop/one CertificateMissing ',
    ]);
    world.put(secretOf(second, 'two', 'own'));
    expect(shown()).toBe(second.cert);
    world.put(secretOf(first, 'one'));
    expect(shown()).toBe(first.cert);
    expect(world.lines()).toEqual([]);
    expect(world.problemLines()).toEqual([]);
  });

  it('are said of the hosts that rules of the same object name below a wildcard, and of nobody else', () => {
    const world = createTlsWorld();
    const rules = ['a.w.example.com', 'b.c.w.example.com', 'w.example.com'].map((host) => ({ host }));
    world.put(
      secretOf(first, 'one'),
      using('x', 'one', ['*.w.example.com'], { rules }),
      ingress({ name: 'y', rules: [{ host: 'other.w.example.com' }] }),
    );
    expect(world.tlsHosts.keys()).toEqual(['*.w.example.com', 'a.w.example.com']);
    expect(world.lines()).toEqual(['shop_one.pem *.w.example.com']);
  });

  it('are the default one for hosts whose object names no Secret', () => {
    const world = createTlsWorld({ defaults: [{ namespace: 'own', name: 'd' }] });
    world.put(secretOf(first, 'd', 'own'), ingress({ name: 'x', tls: [{ hosts: ['a.example.com'] }] }));
    expect(world.lines()).toEqual([]);
    expect(world.tlsHosts.keys()).toEqual(['a.example.com']);
  });

  it.each<[string, unknown, string]>([
    ['tls that is no list', {}, 'InvalidField spec.tls'],
    ['an entry that is no object', ['x'], 'InvalidField spec.tls[0]'],
    ['a Secret of another namespace', [{ secretName: '../x' }], 'InvalidField spec.tls[0].secretName'],
    ['hosts that are no list', [{ hosts: 'x' }], 'InvalidField spec.tls[0].hosts'],
    [
      'no host name',
      [{ hosts: ['a.example.com\n', 'b.example.com'], secretName: 'one' }],
      'InvalidHost spec.tls[0].hosts[0]',
    ],
    ['an empty host', [{ hosts: [''], secretName: 'one' }], 'InvalidHost spec.tls[0].hosts[0]'],
  ])('say what is wrong with %s', (_what, tls, problem) => {
    const world = createTlsWorld();
    world.put(secretOf(first, 'one'), ingress({ name: 'x', tls }));
    expect(world.problemLines()).toContain(`Ingress shop/x ${problem}`);
  });

  it('come in entries that fit into a runtime command, however many hosts one has, and a host touches its own entry', () => {
    const world = createTlsWorld();
    const hosts = Array.from({ length: 1_000 }, (_, i) => `h${i}.example.com`);
    world.put(secretOf(first, 'one'), using('x', 'one', hosts));
    const entries = world.certificates.keys().map((file) => world.certificates.peek(file)?.hosts ?? []);
    expect(entries.flat().sort()).toEqual(hosts.toSorted());
    expect(Math.max(...entries.map(({ length }) => length))).toBeLessThanOrEqual(64);
    const changes = world.changesOf(() => world.put(using('y', 'one', ['new.example.com'])));
    expect(changes).toEqual({ certificates: 1, tlsHosts: 1 });
  });

  it('have file names that are unique and not too long', () => {
    const world = createTlsWorld();
    const long = 'a'.repeat(253);
    world.put(secretOf(first, long), secretOf(second, `${long.slice(1)}b`));
    world.put(using('x', long, ['a.example.com']), using('y', `${long.slice(1)}b`, ['b.example.com']));
    const files = world.certificates.keys();
    expect(new Set(files).size).toBe(2);
    for (const file of files) expect(file.length).toBeLessThan(200);
  });

  it('say the same as a computation from scratch, in whatever order the objects come', () => {
    const name = fc.constantFrom('a', 'b');
    const anySecret = fc
      .record({
        name,
        namespace: fc.constantFrom('shop', 'x'),
        which: fc.constantFrom(
          () => first,
          () => second,
          () => rsa,
        ),
      })
      .map((s) => () => secretOf(s.which(), s.name, s.namespace));
    const host = fc.constantFrom('a.example.com', 'c.example.com', '*.example.com', 'bad host');
    const tls = fc.record({
      secretName: fc.option(name, { nil: undefined }),
      hosts: fc.array(host, { maxLength: 3 }),
    });
    const anyIngress = fc
      .record({
        name,
        namespace: fc.constantFrom('shop', 'x'),
        created: fc.constantFrom(older, newer),
        className: fc.constantFrom('haptic', 'other'),
        rules: fc.array(fc.record({ host }), { maxLength: 2 }),
        tls: fc.array(tls, { maxLength: 2 }),
      })
      .map((options) => () => ingress(options));
    const edits = fc.array(fc.tuple(fc.oneof(anySecret, anyIngress), fc.boolean()), { maxLength: 20 });
    const defaults = [{ namespace: 'shop', name: 'a' }];
    fc.assert(
      fc.property(edits, fc.nat(), (list, seed) => {
        const world = createTlsWorld({ defaults, seed });
        const left = new Map<string, ReturnType<typeof secret>>();
        for (const [make, isPut] of list) {
          const object = make();
          const key = `${object.kind ?? ''} ${objectKey(object)}`;
          if (isPut) {
            world.put(object);
            left.set(key, object);
          } else {
            world.remove(object);
            left.delete(key);
          }
        }
        const scratch = createTlsWorld({ defaults, seed: seed + 1 });
        scratch.put(...[...left.values()].reverse());
        expect(world.snapshot()).toEqual(scratch.snapshot());
      }),
    );
  });
});
