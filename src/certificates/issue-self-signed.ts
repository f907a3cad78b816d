import { backdatedMs } from './issue-authority.ts';
import { certificatePem, keyPem, type KeyPair, newKeys, newSerialNumber, signing, x509 } from './x509.ts';

/** A name that no client asks for (RFC 2606). */
const dnsName = 'no-certificate.haptic.invalid';

/** What HAProxy shows to clients for which there is no certificate: one that nobody believes, with a name that says why. */
export async function issueSelfSigned(now: number, validityMs: number): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerialNumber(),
    name: `CN=${dnsName}`,
    notBefore: new Date(now - backdatedMs),
    notAfter: new Date(now + validityMs),
    keys,
    signingAlgorithm: signing,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: dnsName }]),
    ],
  });
  return { cert: certificatePem(certificate), key: await keyPem(keys) };
}
