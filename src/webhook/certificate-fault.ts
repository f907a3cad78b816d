import { createPrivateKey, X509Certificate } from 'node:crypto';

const block = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]+?-----END \1-----/g;

/**
 * What HAProxy would not take of a PEM of certificate, chain and key, which is not given to it for a check; undefined when nothing is
 * wrong. Nothing of the content is shown.
 */
export function certificateFault(pem: string): string | undefined {
  const certificates: X509Certificate[] = [];
  let key: string | undefined;
  for (const [text, label = ''] of pem.matchAll(block)) {
    if (label === 'CERTIFICATE' || label === 'X509 CERTIFICATE' || label === 'TRUSTED CERTIFICATE') {
      try {
        certificates.push(new X509Certificate(text));
      } catch {
        return 'a certificate in it cannot be read';
      }
    } else if (label.endsWith('PRIVATE KEY')) key ??= text;
  }
  const [leaf] = certificates;
  if (leaf === undefined) return 'there is no certificate in it';
  if (key === undefined) return 'there is no private key in it';
  try {
    if (!leaf.checkPrivateKey(createPrivateKey(key)))
      return 'the private key does not belong to the certificate';
  } catch {
    return 'the private key cannot be read';
  }
  return undefined;
}
