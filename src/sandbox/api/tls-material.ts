import { webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

/** Keys and certificates of one server, as PEM. They live as long as the process and are never written by this module. */
export interface TlsMaterial {
  readonly caCert: string;
  readonly serverCert: string;
  readonly serverKey: string;
  readonly clientCert: string;
  readonly clientKey: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const day = 24 * 60 * 60 * 1000;

/** Makes a new authority, a server certificate for loopback, and a client certificate of the group `system:masters`. */
export async function createTlsMaterial(now: Date): Promise<TlsMaterial> {
  x509.cryptoProvider.set(webcrypto);
  const [caKeys, serverKeys, clientKeys] = await Promise.all([newKeys(), newKeys(), newKeys()]);
  const validity = {
    notBefore: new Date(now.getTime() - day),
    notAfter: new Date(now.getTime() + 365 * day),
  };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=sandbox-ca',
    ...validity,
    keys: caKeys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const sign = (
    serialNumber: string,
    subject: string,
    keys: webcrypto.CryptoKeyPair,
    extensions: x509.Extension[],
  ) =>
    x509.X509CertificateGenerator.create({
      serialNumber,
      subject,
      issuer: ca.subject,
      ...validity,
      publicKey: keys.publicKey,
      signingKey: caKeys.privateKey,
      signingAlgorithm: algorithm,
      extensions: [new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true), ...extensions],
    });
  const server = await sign('02', 'CN=sandbox-api', serverKeys, [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension([
      { type: 'dns', value: 'localhost' },
      { type: 'dns', value: 'kubernetes.default.svc' },
      { type: 'ip', value: '127.0.0.1' },
    ]),
  ]);
  const client = await sign('03', 'O=system:masters, CN=sandbox-admin', clientKeys, [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
  ]);
  return {
    caCert: ca.toString('pem'),
    serverCert: server.toString('pem'),
    serverKey: await keyPem(serverKeys),
    clientCert: client.toString('pem'),
    clientKey: await keyPem(clientKeys),
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function keyPem(keys: webcrypto.CryptoKeyPair): Promise<string> {
  const bytes = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return x509.PemConverter.encode(bytes, 'PRIVATE KEY');
}
