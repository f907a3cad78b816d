import type { X509Certificate } from 'node:crypto';
import { renewBeforeMs } from './renew-before-ms.ts';

/** Whether a certificate is to be replaced by now. */
export function isDue(certificate: X509Certificate, now: number): boolean {
  const ends = certificate.validToDate.getTime();
  return now >= ends - renewBeforeMs(ends - certificate.validFromDate.getTime());
}
