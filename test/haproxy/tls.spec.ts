import type tls from 'node:tls';
import { expect, it } from 'vitest';
import { type CertificatePool, createCertificatePool, rootRule } from '../fixtures/certificate-pool.ts';
import { ask } from '../fixtures/ask.ts';
import { issueCertificate } from '../fixtures/certificates.ts';
import { bundleFile } from '../fixtures/ingress-renderer.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { ingress, secret } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

const pool = setUp(() => startEchoPool('root'));
const certificates = setUp(() => createCertificatePool());

const secretOf: CertificatePool['secretOf'] = (name, as) => certificates.secretOf(name, as);
const shownBy: CertificatePool['shownBy'] = (...asked) => certificates.shownBy(...asked);

describeEachLine('certificates of hosts', (line) => {
  const world = setUp(() =>
    startIngressTraffic(
      line,
      [
        ...pool.objects,
        ...(['fallback', 'shop', 'wild', 'older', 'newer', 'own'] as const).map((name) => secretOf(name)),
        secretOf('pairRsa', 'pair-rsa'),
        secretOf('pairEcdsa', 'pair-ecdsa'),
        ingress({
          name: 'shop',
          rules: [rootRule('shop.example.com'), rootRule('plain.example.org')],
          tls: [{ hosts: ['shop.example.com'], secretName: 'shop' }],
        }),
        ingress({
          name: 'wild',
          rules: [rootRule('*.example.com')],
          tls: [{ hosts: ['*.example.com'], secretName: 'wild' }],
        }),
        ingress({
          name: 'pair',
          rules: [rootRule('pair.example.org')],
          tls: [
            { hosts: ['pair.example.org'], secretName: 'pair-rsa' },
            { hosts: ['pair.example.org'], secretName: 'pair-ecdsa' },
          ],
        }),
        ingress({
          name: 'b-older',
          created: '2026-01-01T00:00:00Z',
          tls: [{ hosts: ['same.example.org'], secretName: 'older' }],
          rules: [rootRule('same.example.org')],
        }),
        ingress({
          name: 'a-newer',
          created: '2026-01-02T00:00:00Z',
          tls: [{ hosts: ['same.example.org'], secretName: 'newer' }],
          rules: [rootRule('same.example.org')],
        }),
        ingress({ name: 'any', rules: [rootRule()], tls: [{ secretName: 'own' }] }),
      ],
      { defaultCertificates: [{ namespace: 'shop', name: 'fallback' }] },
    ),
  );

  const shown = (servername: string | undefined, options?: tls.ConnectionOptions) =>
    shownBy(world, servername, options);

  it.each([
    ['the host that names it', 'shop.example.com', 'shop'],
    ['the host in capitals', 'SHOP.example.COM', 'shop'],
    ['a host below a wildcard', 'www.example.com', 'wild'],
    ['not two labels below a wildcard', 'a.b.example.com', 'fallback'],
    ['not the domain of the wildcard', 'example.com', 'fallback'],
    ['a host with a route and no certificate', 'plain.example.org', 'fallback'],
    ['no host', undefined, 'fallback'],
    ['no name of the default certificate', 'named.example.com', 'wild'],
    ['the older of two objects', 'same.example.org', 'older'],
    ['a host of the certificate, without hosts in the object', 'own.example.org', 'own'],
    ['a wildcard of the certificate, without hosts in the object', 'x.own.example.org', 'own'],
  ])('%s', async (_title, host, certificate) => {
    expect(await shown(host)).toBe(certificate);
  });

  it('the one that the client understands, of two kinds', async () => {
    const servername = 'pair.example.org';
    const onlyRsa = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' } as const;
    const onlyEcdsa = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' } as const;
    expect(await shown(servername, onlyRsa)).toBe('pairRsa');
    expect(await shown(servername, onlyEcdsa)).toBe('pairEcdsa');
    expect(await shown(servername)).toBe('pairEcdsa');
  });

  it('nothing that is older than TLS 1.2', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const;
    expect(await shown('shop.example.com', old)).toMatch(/^ERR_SSL|ECONNRESET/);
  });

  it('is listed once for each Secret', () => {
    expect(bundleFile(world.started, 'ssl/certificates.txt').split('\n')).toEqual([
      'ssl/default-1.pem !*',
      'ssl/shop_older.pem same.example.org',
      'ssl/shop_own.pem *.own.example.org own.example.org',
      'ssl/shop_pair-ecdsa.pem pair.example.org',
      'ssl/shop_pair-rsa.pem pair.example.org',
      'ssl/shop_shop.pem shop.example.com',
      'ssl/shop_wild.pem *.example.com',
      '',
    ]);
  });
});

describeEachLine('certificates that change', (line) => {
  const world = setUp(() =>
    startIngressTraffic(
      line,
      [...pool.objects, secretOf('fallback'), secretOf('wild'), secretOf('shop'), one('shop.example.com')],
      {
        defaultCertificates: [
          { namespace: 'shop', name: 'fallback' },
          { namespace: 'shop', name: 'wild' },
        ],
      },
    ),
  );
  const one = (...hosts: string[]) =>
    ingress({ name: 'one', rules: hosts.map(rootRule), tls: [{ hosts, secretName: 'shop' }] });
  const another = ingress({
    name: 'another',
    rules: [rootRule('same.example.org')],
    tls: [{ hosts: ['same.example.org'], secretName: 'older' }],
  });
  const served = (host: string) => shownBy(world, host);

  it('are exchanged in the running process, those of hosts and the default one', async () => {
    const pid = await world.haproxy.workerPid();
    expect([await served('shop.example.com'), await served('nobody.example')]).toEqual(['shop', 'fallback']);
    world.put(secretOf('shopAgain', 'shop'));
    expect(await world.changeFrom(world.started)).toEqual(['cert_set']);
    expect(await served('shop.example.com')).toBe('shopAgain');

    const second = world.bundle();
    world.put(secretOf('fallbackAgain', 'fallback'));
    expect(await world.changeFrom(second)).toEqual(['cert_set']);
    expect([await served('shop.example.com'), await served('nobody.example')]).toEqual([
      'shopAgain',
      'fallbackAgain',
    ]);
    expect(await world.haproxy.workerPid()).toBe(pid);
  });

  it('come with their host and go with it', async () => {
    const before = world.bundle();
    world.put(secretOf('older'), another);
    expect(await world.changeFrom(before)).toEqual(['cert_new', 'crtlist_add', 'map_add', 'map_add']);
    expect(await served('same.example.org')).toBe('older');

    const second = world.bundle();
    world.remove(another);
    expect(await world.changeFrom(second)).toEqual(['map_del', 'map_del', 'crtlist_del']);
    expect(await served('same.example.org')).toBe('fallbackAgain');
  });

  it('are for more hosts and for fewer', async () => {
    const before = world.bundle();
    world.put(one('shop.example.com', 'second.example.com'));
    expect(await world.changeFrom(before)).toEqual(['crtlist_add', 'map_add', 'map_add', 'crtlist_del']);
    expect(await served('second.example.com')).toBe('shopAgain');
    const second = world.bundle();
    world.put(one('second.example.com'));
    await world.changeFrom(second);
    expect([await served('second.example.com'), await served('shop.example.com')]).toEqual([
      'shopAgain',
      'fallbackAgain',
    ]);
  });

  it('come, change and go beside one with another type of key', async () => {
    const pair = (...secrets: string[]) =>
      ingress({
        name: 'pair',
        rules: [rootRule('pair.example.org')],
        tls: secrets.map((secretName) => ({ hosts: ['pair.example.org'], secretName })),
      });
    const rsaOnly = (host: string) =>
      shownBy(world, host, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' });
    const steps = [
      { objects: [secretOf('pairRsa', 'pair-z'), pair('pair-z')], ecdsa: 'pairRsa', rsa: 'pairRsa' },
      {
        objects: [secretOf('pairEcdsa', 'pair-a'), pair('pair-z', 'pair-a')],
        ecdsa: 'pairEcdsa',
        rsa: 'pairRsa',
      },
      { objects: [secretOf('pairRsaAgain', 'pair-z')], ecdsa: 'pairEcdsa', rsa: 'pairRsaAgain' },
      { objects: [secretOf('pairEcdsaAgain', 'pair-a')], ecdsa: 'pairEcdsaAgain', rsa: 'pairRsaAgain' },
      { objects: [pair('pair-z')], ecdsa: 'pairRsaAgain', rsa: 'pairRsaAgain' },
    ];
    for (const { objects, ecdsa, rsa } of steps) {
      const before = world.bundle();
      world.put(...objects);
      await world.changeFrom(before);
      expect([await served('pair.example.org'), await rsaOnly('pair.example.org')]).toEqual([ecdsa, rsa]);
    }
  });
});

describeEachLine('certificates with a chain', (line) => {
  it('are renewed as a whole; gone or malformed, they concern their host alone', async () => {
    const root = await issueCertificate({ names: ['root authority'], isAuthority: true });
    const chained = async (name: string) => {
      const between = await issueCertificate({ names: [name], isAuthority: true, issuer: root });
      const leaf = await issueCertificate({ names: ['chain.example.org'], issuer: between });
      return secret({ name: 'chain', data: { 'tls.crt': leaf.cert + between.cert, 'tls.key': leaf.key } });
    };
    const hostOf = (name: string, host: string) =>
      ingress({ name, rules: [rootRule(host)], tls: [{ hosts: [host], secretName: name }] });
    const first = await chained('one');
    const world = await startIngressTraffic(
      line,
      [
        ...[...pool.objects, secretOf('fallback'), secretOf('shop'), first],
        ...[hostOf('chain', 'chain.example.org'), hostOf('shop', 'shop.example.com')],
      ],
      { defaultCertificates: [{ namespace: 'shop', name: 'fallback' }] },
    );
    const verified = async () => {
      const host = 'chain.example.org';
      return (await ask(world, 'HTTPS', { host, tls: { ca: root.cert, rejectUnauthorized: true } })).outcome;
    };
    try {
      expect(await verified()).toBe('root');
      let before = world.bundle();
      world.put(await chained('two'));
      expect(await world.changeFrom(before)).toEqual(['cert_set']);
      expect(await verified()).toBe('root');
      before = world.bundle();
      world.put(secret({ name: 'chain', data: { 'tls.crt': '-----BEGIN', 'tls.key': 'x' } }));
      // The last one that was any good stays.
      expect(await world.changeFrom(before)).toEqual([]);
      expect(await verified()).toBe('root');
      before = world.bundle();
      world.remove(first);
      await world.changeFrom(before);
      expect(await shownBy(world, 'chain.example.org')).toBe('fallback');
      expect(await world.outcome({ host: 'chain.example.org' })).toBe('root');
      expect(await shownBy(world, 'shop.example.com')).toBe('shop');
    } finally {
      await world.stop();
    }
  });
});

describeEachLine('certificates as they came to grief elsewhere', (line) => {
  const tlsSecret = (name: string, crt: string, key: string) =>
    secret({ name, data: { 'tls.crt': crt, 'tls.key': key } });
  const using = (name: string) => {
    const hosts = [`${name.replaceAll('.', '-')}.example.org`];
    return ingress({ name, rules: hosts.map(rootRule), tls: [{ hosts, secretName: name }] });
  };
  const start = (...objects: Parameters<typeof startIngressTraffic>[1]) =>
    startIngressTraffic(line, [...pool.objects, secretOf('fallback'), ...objects], {
      defaultCertificates: [{ namespace: 'shop', name: 'fallback' }],
    });

  it('random bytes, nothing, and half of a pair harm nobody at a cold start', async () => {
    const { cert, key } = certificates.certificateOf('shop');
    const world = await start(
      tlsSecret('random', '\u0001\u0002\u00ff', '\u0003'),
      tlsSecret('empty', '', ''),
      secret({ name: 'no-key', data: { 'tls.crt': cert } }),
      secret({ name: 'no-crt', data: { 'tls.key': key } }),
      tlsSecret('good', cert, key),
      ...['random', 'empty', 'no-key', 'no-crt', 'missing', 'good'].map(using),
    );
    try {
      expect(await shownBy(world, 'good.example.org')).toBe('shop');
      for (const name of ['random', 'empty', 'no-key', 'no-crt', 'missing']) {
        expect(await shownBy(world, `${name}.example.org`)).toBe('fallback');
        expect(await world.outcome({ host: `${name}.example.org` })).toBe('root');
      }
    } finally {
      await world.stop();
    }
  });

  it('HAPTIC#119: blank lines in a renewed one, and dots in the name of its Secret, are no hindrance', async () => {
    const { cert, key } = certificates.certificateOf('shop');
    const renewed = certificates.certificateOf('shopAgain');
    const loosely = (pem: string) => `\r\n\n${pem.replaceAll('\n', '\r\n\n')}\n\n`;
    const world = await start(tlsSecret('a.b.c', cert, key), using('a.b.c'));
    try {
      expect(await shownBy(world, 'a-b-c.example.org')).toBe('shop');
      world.put(tlsSecret('a.b.c', loosely(renewed.cert), loosely(renewed.key)));
      expect(await world.changeFrom(world.started)).toEqual(['cert_set']);
      expect(await shownBy(world, 'a-b-c.example.org')).toBe('shopAgain');
    } finally {
      await world.stop();
    }
  });
});
describeEachLine('without a default certificate', (line) => {
  it('refuses whoever names no host with a certificate, and serves the others', async () => {
    const world = await startIngressTraffic(line, [
      ...pool.objects,
      secretOf('shop'),
      ingress({
        name: 'shop',
        rules: [rootRule('shop.example.com')],
        tls: [{ hosts: ['shop.example.com'], secretName: 'shop' }],
      }),
    ]);
    try {
      expect(await shownBy(world, 'shop.example.com')).toBe('shop');
      expect(await shownBy(world, 'other.example.com')).toMatch(/^ERR_SSL|ECONNRESET/);
    } finally {
      await world.stop();
    }
  });

  it('starts without any certificate', async () => {
    const world = await startIngressTraffic(line, []);
    try {
      expect(await world.outcome({ host: 'x' })).toBe('404');
      expect(await shownBy(world, 'x.example.com')).toMatch(/^ERR_SSL|ECONNRESET/);
    } finally {
      await world.stop();
    }
  });
});
