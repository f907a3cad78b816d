import { randomBytes, webcrypto } from 'node:crypto';
// Before the library, which finds its algorithms by it.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

export { x509 };

x509.cryptoProvider.set(webcrypto);

/** A certificate with its private key, both PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export const signing = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

export function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(signing, true, ['sign', 'verify']);
}

export async function keyPem({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  return pemText(
    x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY'),
  );
}

export async function signingKey(pem: string): Promise<webcrypto.CryptoKey> {
  const [bytes] = x509.PemConverter.decode(pem);
  return webcrypto.subtle.importKey('pkcs8', bytes ?? new ArrayBuffer(0), signing, false, ['sign']);
}

export function certificatePem(certificate: x509.X509Certificate): string {
  return pemText(certificate.toString('pem'));
}

/** Positive and unguessable, 16 bytes as RFC 5280 allows up to 20. */
export function newSerialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = 0x40 | ((bytes[0] ?? 0) & 0x3f);
  return bytes.toString('hex');
}

function pemText(pem: string): string {
  return pem.endsWith('\n') ? pem : `${pem}\n`;
}
