import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/kube-object.ts';
import { x509 } from '../../../../src/certificates/x509.ts';
import {
  type CertificateFacts,
  parseCertificate,
} from '../../../../src/projections/tls/parse-certificate.ts';
import { type IssuedCertificate, issueCertificate } from '../../../fixtures/certificates.ts';
import { secret } from '../../../fixtures/kube-objects.ts';
import { slowRsaKeys } from '../../../fixtures/slow-rsa-keys.ts';

const issuers = new x509.AuthorityInfoAccessExtension({ caIssuers: 'http://ca.example.com/ca.crt' });

describe('a Secret with a certificate', () => {
  let root: IssuedCertificate;
  let middle: IssuedCertificate;
  let leaf: IssuedCertificate;
  let other: IssuedCertificate;
  beforeAll(async () => {
    root = await issueCertificate({ names: ['root'], isAuthority: true });
    middle = await issueCertificate({ names: ['middle'], isAuthority: true, issuer: root });
    leaf = await issueCertificate({
      names: ['Shop.example.com', '*.shop.example.com', 'not a host'],
      issuer: middle,
      extensions: [issuers],
    });
    other = await issueCertificate({ names: ['other.example.com'], keys: 'rsa' });
  });

  const parse = (crt: string, key: string) =>
    parseCertificate(secret({ data: { 'tls.crt': crt, 'tls.key': key } }));
  const facts = (crt: string, key: string): CertificateFacts => {
    const content = parse(crt, key);
    if (content.kind !== 'usable') throw new Error(JSON.stringify(content));
    return content.facts;
  };
  const subjects = (chain: string) =>
    (chain.match(/-----BEGIN[^]+?-----END CERTIFICATE-----/g) ?? []).map(
      (pem) => new X509Certificate(pem).subject,
    );

  it('says what it is for, whatever its type', () => {
    expect(facts(leaf.cert + middle.cert, leaf.key)).toEqual({
      chain: leaf.cert + middle.cert,
      key: leaf.key,
      keyType: 'ecdsa',
      names: ['shop.example.com', '*.shop.example.com'],
      notBefore: leaf.certificate.notBefore.getTime(),
      notAfter: leaf.certificate.notAfter.getTime(),
      warnings: [],
    });
    expect(facts(other.cert, other.key).keyType).toBe('rsa');
    const opaque = secret({
      type: 'Opaque',
      data: { 'tls.crt': other.cert, 'tls.key': other.key, more: 'x' },
    });
    expect(parseCertificate(opaque).kind).toBe('usable');
  });

  it('is for its common name where it has no alternative names', async () => {
    const { cert, key } = await issueCertificate({ names: ['old.example.com'], commonNameOnly: true });
    expect(facts(cert, key).names).toEqual(['old.example.com']);
  });

  it.each<[string, (pem: string) => string]>([
    ['CRLF', (pem) => pem.replaceAll('\n', '\r\n')],
    ['blank lines', (pem) => pem.replaceAll('\n', '\n\n')],
    ['text around it', (pem) => `Bag Attributes\n  friendlyName: x\n${pem}\nafter`],
    ['no line feed at the end', (pem) => pem.trim()],
    ['blanks at the ends of lines', (pem) => pem.replaceAll('\n', ' \t\n')],
  ])('is read with %s', (_what, change) => {
    expect(facts(change(leaf.cert + middle.cert), change(leaf.key))).toEqual(
      facts(leaf.cert + middle.cert, leaf.key),
    );
  });

  it('has the chain in its order, each certificate once, and keeps what is not on the way at the end', () => {
    const crt = other.cert + root.cert + middle.cert + leaf.cert + middle.cert;
    expect(subjects(facts(crt, leaf.key).chain)).toEqual([
      'CN=Shop.example.com',
      'CN=middle',
      'CN=root',
      'CN=other.example.com',
    ]);
  });

  it('is served without its intermediate, and says so', () => {
    expect(facts(leaf.cert, leaf.key).warnings).toEqual([
      expect.stringContaining('no intermediate certificate'),
    ]);
    expect(facts(other.cert, other.key).warnings).toEqual([]);
  });

  it.each<[string, () => [string, string], string]>([
    ['no certificate', () => ['', leaf.key], 'has no tls.crt'],
    ['no key', () => [leaf.cert, ''], 'has no tls.key'],
    ['random bytes', () => ['\u0001\u0002', 'x'], 'has no certificate in PEM in tls.crt'],
    ['random bytes for a key', () => [leaf.cert, '\u0001\u0002'], 'has no private key in PEM in tls.key'],
    [
      'a broken certificate',
      () => [leaf.cert.replace(/MII./, 'AAAA'), leaf.key],
      'has a certificate in tls.crt that cannot be read (number 1)',
    ],
    [
      'a certificate cut short',
      () => [leaf.cert.slice(0, 300), leaf.key],
      'has no certificate in PEM in tls.crt',
    ],
    [
      'a broken key',
      () => [leaf.cert, leaf.key.replace(/MI../, 'AAAA')],
      'has a private key in tls.key that cannot be read',
    ],
    [
      'the key of another',
      () => [leaf.cert, other.key],
      'has a tls.key that belongs to no certificate in tls.crt',
    ],
    [
      'more than any chain has',
      () => [leaf.cert + middle.cert.repeat(16), leaf.key],
      'has 17 certificates in tls.crt; 16 are enough for any chain',
    ],
    [
      'more bytes than any chain has',
      () => [leaf.cert + ' '.repeat(110_000) + middle.cert, leaf.key],
      expect.stringContaining('102400 are enough') as string,
    ],
    ['two keys', () => [leaf.cert, leaf.key + other.key], 'has more than one private key in tls.key'],
    [
      'an encrypted key',
      () => [leaf.cert, leaf.key.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE')],
      'has an encrypted private key in tls.key, which HAProxy cannot read',
    ],
    [
      'a key that is encrypted as it was done of old',
      () => [leaf.cert, leaf.key.replace('\n', '\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\n')],
      'has an encrypted private key in tls.key, which HAProxy cannot read',
    ],
  ])('cannot be served with %s', (_what, data, fault) => {
    expect(parse(...data())).toEqual({ kind: 'invalid', fault });
  });

  it('cannot be served with a key that is too short for OpenSSL', async () => {
    const { webcrypto } = await import('node:crypto');
    const algorithm = {
      name: 'RSASSA-PKCS1-v1_5',
      hash: 'SHA-256',
      publicExponent: new Uint8Array([1, 0, 1]),
      modulusLength: 512,
    };
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const weak = await issueCertificate({ keys, isAuthority: true });
    expect(parse(weak.cert, weak.key)).toEqual({
      kind: 'invalid',
      fault: 'has a key of 512 bits; HAProxy takes 2048 or more',
    });
    expect(parse(leaf.cert + weak.cert, leaf.key)).toEqual({
      kind: 'invalid',
      fault: 'has in certificate 2 of its chain a key of 512 bits; HAProxy takes 2048 or more',
    });
  });

  it('cannot be served with a key that takes HAProxy very long at each handshake', async () => {
    const { webcrypto } = await import('node:crypto');
    const algorithm = {
      name: 'RSASSA-PKCS1-v1_5',
      hash: 'SHA-256',
      publicExponent: new Uint8Array([1, 0, 1]),
      modulusLength: 4104,
    };
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const slow = await issueCertificate({ keys });
    expect(parse(slow.cert, slow.key)).toEqual({
      kind: 'invalid',
      fault: 'has a key of 4104 bits, which keeps HAProxy from everybody else; 4096 are enough',
    });
    // Nobody signs with those of the chain.
    expect(parse(leaf.cert + slow.cert, leaf.key)).toMatchObject({ kind: 'usable' });
  });

  it('cannot be served with a key whose public exponent makes each handshake slow', async () => {
    const { cert, key } = await issueCertificate({ keys: await slowRsaKeys() });
    expect(parse(cert, key)).toEqual({
      kind: 'invalid',
      fault: 'has a key with a public exponent of more than 32 bits, which keeps HAProxy from everybody else',
    });
  });

  it('cannot be served with a kind of key that not every HAProxy has', async () => {
    const { webcrypto } = await import('node:crypto');
    const keys = await webcrypto.subtle.generateKey('ML-DSA-44', true, ['sign', 'verify']);
    if (!('privateKey' in keys)) throw new Error('no pair');
    const { cert, key } = await issueCertificate({ keys, issuer: leaf });
    expect(parse(cert, key)).toEqual({
      kind: 'invalid',
      fault: 'has a key of another kind than RSA, EC or Ed25519',
    });
  });

  it('is for 1000 names of hosts at most, which every object without a host claims', async () => {
    const names = Array.from({ length: 1_200 }, (_, i) => `h${i}.example.com`);
    const { cert, key } = await issueCertificate({ names });
    const content = parse(cert, key);
    if (content.kind !== 'usable') throw new Error(JSON.stringify(content));
    expect(content.facts.names).toEqual(names.slice(0, 1_000));
    expect(content.facts.warnings).toEqual([
      'has 1200 names: the first 1000 count where no object names a host',
    ]);
  });

  it('is empty without data, and with empty data', () => {
    const none: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } };
    expect(parseCertificate(none)).toEqual({ kind: 'empty' });
    expect(parseCertificate({ ...none, data: { 'tls.crt': '', 'tls.key': '' } })).toEqual({ kind: 'empty' });
    expect(parseCertificate({ ...none, data: null })).toEqual({ kind: 'empty' });
    expect(parseCertificate({ ...none, data: { 'tls.crt': 5, 'tls.key': {} } })).toMatchObject({
      kind: 'invalid',
    });
  });

  it('never says anything of its content', () => {
    const mangled = fc.tuple(fc.constantFrom('crt', 'key', 'both'), fc.nat(1_000), fc.nat(60), fc.string());
    fc.assert(
      fc.property(mangled, ([which, at, length, put]) => {
        const mangle = (text: string, is: boolean) =>
          is ? text.slice(0, at % text.length) + put + text.slice((at % text.length) + length) : text;
        const crt = mangle(leaf.cert, which !== 'key');
        const key = mangle(leaf.key, which !== 'crt');
        const content = parse(crt, key);
        if (content.kind !== 'invalid') return;
        for (const line of `${crt}\n${key}`.split('\n'))
          if (line.length >= 8 && !line.startsWith('-----')) expect(content.fault).not.toContain(line);
      }),
    );
  });
});
