import { backdatedMs } from './issue-authority.ts';
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

/** The agents' side of the connection, or the controller's. */
export type IdentityRole = 'server' | 'client';

const usages: Readonly<Record<IdentityRole, x509.ExtendedKeyUsage>> = {
  server: x509.ExtendedKeyUsage.serverAuth,
  client: x509.ExtendedKeyUsage.clientAuth,
};

/** A certificate for one DNS name and one purpose, with a new key; never outlives its authority. */
export async function issueIdentity(
  authority: KeyPair,
  request: {
    readonly role: IdentityRole;
    readonly dnsName: string;
    readonly now: number;
    readonly validityMs: number;
  },
): Promise<KeyPair> {
  const { role, dnsName, now, validityMs } = request;
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(authority.cert);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerialNumber(),
    // A name may be longer than the 64 characters of a common name; what counts is the alternative name.
    subject: `CN=haptic-${role === 'server' ? 'agent' : 'controller'}`,
    issuer: issuer.subject,
    notBefore: new Date(Math.max(now - backdatedMs, issuer.notBefore.getTime())),
    notAfter: new Date(Math.min(now + validityMs, issuer.notAfter.getTime())),
    publicKey: keys.publicKey,
    signingKey: await signingKey(authority.key),
    signingAlgorithm: signing,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([usages[role]]),
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: dnsName }]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { cert: certificatePem(certificate), key: await keyPem(keys) };
}
