import { webcrypto } from 'node:crypto';
import {
  certificatePem,
  keyPem,
  type KeyPair,
  newKeys,
  newSerialNumber,
  signing,
  signingKey,
  x509,
} from './x509.ts';

/** Clocks of a cluster differ. */
export const backdatedMs = 5 * 60_000;

/** A new authority of its own, with a name of its own, so that two of them are never taken for one. */
export async function issueAuthority(now: number, validityMs: number): Promise<KeyPair> {
  const keys = await newKeys();
  const serialNumber = newSerialNumber();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber,
    name: `CN=haptic-agent-ca-${serialNumber.slice(0, 8)}`,
    notBefore: new Date(now - backdatedMs),
    notAfter: new Date(now + validityMs),
    keys,
    signingAlgorithm: signing,
    extensions: await authorityExtensions(keys.publicKey),
  });
  return { cert: certificatePem(certificate), key: await keyPem(keys) };
}

/**
 * The new authority as the former one vouches for it: with this beside its certificate, a peer is believed by those who know the
 * former one only. Ends with the former one.
 */
export async function crossSign(next: KeyPair, former: KeyPair): Promise<string> {
  const subject = new x509.X509Certificate(next.cert);
  const issuer = new x509.X509Certificate(former.cert);
  const publicKey = await webcrypto.subtle.importKey('spki', subject.publicKey.rawData, signing, true, [
    'verify',
  ]);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerialNumber(),
    subject: subject.subject,
    issuer: issuer.subject,
    notBefore: subject.notBefore,
    notAfter: issuer.notAfter < subject.notAfter ? issuer.notAfter : subject.notAfter,
    publicKey,
    signingKey: await signingKey(former.key),
    signingAlgorithm: signing,
    extensions: [
      ...(await authorityExtensions(publicKey)),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return certificatePem(certificate);
}

async function authorityExtensions(publicKey: webcrypto.CryptoKey): Promise<x509.Extension[]> {
  return [
    new x509.BasicConstraintsExtension(true, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    await x509.SubjectKeyIdentifierExtension.create(publicKey),
  ];
}
