import { beforeAll, expect, it } from 'vitest';
import { prefixed } from '../fixtures/prefixed.ts';
import { ask } from '../fixtures/ask.ts';
import { createCertificatePool } from '../fixtures/certificate-pool.ts';
import { type IssuedCertificate, issueCertificate } from '../fixtures/certificates.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { hostileTexts, marker } from '../fixtures/hostile-texts.ts';
import { bundleFiles } from '../fixtures/ingress-renderer.ts';
import { startEchoPool, startIngressTraffic } from '../fixtures/ingress-traffic.ts';
import { ingress, secret } from '../fixtures/kube-objects.ts';
import { setUp } from '../fixtures/set-up.ts';

/** What stands in certificates and beside them in Secrets is text of strangers, too; so is what clients show. */
const texts = Object.values(hostileTexts).filter((text) => text.trim() !== '');
/** Alternative names are ASCII. */
const names = texts.filter((text) => /^[\0-\x7f]*$/.test(text) && text.length < 1000);

const pool = setUp(() => startEchoPool('root'));
const certificates = setUp(() => createCertificatePool());
const authority = setUp(() => issueCertificate({ names: ['authority'], isAuthority: true }));
const named: { readonly host: string; readonly certificate: IssuedCertificate }[] = [];
const clients: { readonly text: string; readonly certificate: IssuedCertificate }[] = [];
beforeAll(async () => {
  for (const [i, text] of names.entries()) {
    const host = `own-${i}.example.org`;
    named.push({ host, certificate: await issueCertificate({ names: [host, text, `${text}.example.org`] }) });
  }
  // UTF-8 has no halves of characters.
  for (const text of texts.filter((one) => one.isWellFormed()))
    clients.push({
      text,
      certificate: await issueCertificate({ names: ['client'], issuer: authority, commonName: text }),
    });
});

describeEachLine('hostile certificates', (line) => {
  const world = setUp(() =>
    startIngressTraffic(
      line,
      [
        ...pool.objects,
        certificates.secretOf('fallback'),
        certificates.secretOf('shop'),
        shopOf('shop'),
        shopOf('asking', { 'auth-tls-secret': 'authority', 'auth-tls-cert-header': 'true' }),
        secret({ name: 'authority', type: 'Opaque', data: { 'ca.crt': authority.cert } }),
        ...named.flatMap(({ certificate: { cert, key } }, i) => [
          secret({ name: `own-${i}`, data: { 'tls.crt': cert, 'tls.key': key } }),
          // Without hosts: for those of the certificate.
          ingress({
            name: `own-${i}`,
            rules: [{ paths: [{ path: `/own-${i}`, service: 'root' }] }],
            tls: [{ secretName: `own-${i}` }],
          }),
        ]),
        ...texts.flatMap((text, i) => {
          const { cert, key } = certificates.certificateOf('wild');
          const beside = (pem: string) => `${text}\n${pem}${text}\n`;
          return [
            secret({ name: `text-${i}`, data: { 'tls.crt': text, 'tls.key': text } }),
            secret({ name: `beside-${i}`, data: { 'tls.crt': beside(cert), 'tls.key': beside(key) } }),
            secret({ name: `ca-${i}`, type: 'Opaque', data: { 'ca.crt': text, 'ca.crl': text } }),
            secret({ name: `ca-beside-${i}`, type: 'Opaque', data: { 'ca.crt': beside(authority.cert) } }),
            secret({ name: `keys-${i}`, type: 'Opaque', data: { 'key.pem': text } }),
            secret({ name: `users-${i}`, type: 'Opaque', data: { auth: `${text}\nann:${text}` } }),
            shopOf(`ca-${i}`, { 'auth-tls-secret': `ca-${i}`, 'secure-verify-ca-secret': `ca-${i}` }),
            shopOf(`ca-beside-${i}`, { 'auth-tls-secret': `ca-beside-${i}` }),
            shopOf(`keys-${i}`, { 'jwt-secret': `keys-${i}` }),
            shopOf(`users-${i}`, { 'auth-secret': `users-${i}` }),
            ...['text', 'beside'].map((name) =>
              ingress({
                name: `${name}-${i}`,
                rules: [{ host: `${name}-${i}.example.com`, paths: [{ path: '/', service: 'root' }] }],
                tls: [{ hosts: [`${name}-${i}.example.com`, text], secretName: `${name}-${i}` }],
              }),
            ),
            ingress({
              name: `secret-${i}`,
              rules: [{ host: `secret-${i}.example.com`, paths: [{ path: '/', service: 'root' }] }],
              tls: [{ hosts: [`secret-${i}.example.com`], secretName: text }],
            }),
          ];
        }),
      ],
      { defaultCertificates: [{ namespace: 'shop', name: 'fallback' }] },
    ),
  );
  const shopOf = (name: string, annotations: Readonly<Record<string, string>> = {}) =>
    ingress({
      name,
      annotations: prefixed(annotations),
      rules: [{ host: `${name}.example.com`, paths: [{ path: '/', service: 'root' }] }],
      tls: [{ hosts: [`${name}.example.com`], secretName: 'shop' }],
    });

  it('HAProxy takes what is left of them, and neighbours are as they were', async () => {
    expect(await certificates.shownBy(world, 'shop.example.com')).toBe('shop');
    expect((await ask(world, 'HTTPS', { host: 'shop.example.com' })).outcome).toBe('root');
    expect((await ask(world, 'HTTPS', { host: 'asking.example.com' })).outcome).toBe('403');
    expect(await certificates.shownBy(world, 'nobody.example.net')).toBe('fallback');
  });

  it('only names that are hosts are names of certificates', () => {
    const list = bundleFiles(world.started)['ssl/certificates.txt'] ?? '';
    for (const entry of list.split('\n').filter((one) => one !== ''))
      expect(entry).toMatch(/^ssl\/[a-z0-9_.-]+\.pem( \[[^\]]*\])?( !?(\*|(\*\.)?[a-z0-9.-]+))+$/);
    expect(list).toContain('own-0.example.org');
  });

  it('nothing of it is in the configuration', () => {
    const files = Object.entries(bundleFiles(world.started));
    const seen = files.filter(([name, text]) => !name.endsWith('.pem') && text.includes(marker));
    expect(seen.map(([name]) => name)).toEqual([]);
  });

  it('a host of a hostile certificate has it, and its route', async () => {
    for (const [i, { host }] of named.entries()) {
      expect([host, await certificates.shownBy(world, host)]).toEqual([host, 'unknown']);
      const { outcome } = await ask(world, 'HTTPS', { host, target: `/own-${i}` });
      expect(outcome).toBe('root');
    }
  });

  it.each(['ca', 'keys', 'users'])('Secrets without any sense let nobody in: %s', async (name) => {
    for (const i of texts.keys()) {
      const { outcome } = await ask(world, 'HTTPS', { host: `${name}-${i}.example.com` });
      expect([texts[i], outcome]).toEqual([texts[i], expect.stringMatching(/^(?:401|403|503)$/)]);
    }
  });

  it('names of clients are one header, whatever they are', async () => {
    let served = 0;
    for (const { text, certificate } of clients) {
      const { cert, key } = certificate;
      const { outcome, echo } = await ask(world, 'HTTPS', { host: 'asking.example.com', tls: { cert, key } });
      // What cannot be a header is refused.
      if (outcome === 'root') served++;
      else expect([text, outcome]).toEqual([text, expect.stringMatching(/^(?:400|403|50[02])$/)]);
      const injected = Object.keys(echo?.headers ?? {}).filter((header) =>
        header.toLowerCase().includes(marker.toLowerCase()),
      );
      expect([text, injected]).toEqual([text, []]);
    }
    expect(served).toBeGreaterThan(clients.length / 2);
  });
});
