import type { X509Certificate } from 'node:crypto';

/** True when a subject alternative name is exactly this DNS name: no wildcard and no common name counts. */
export function hasDnsName(certificate: X509Certificate, name: string): boolean {
  return certificate.checkHost(name, { subject: 'never', wildcards: false }) !== undefined;
}
