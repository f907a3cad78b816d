import tls from 'node:tls';
import type { PemBlock } from './pem-blocks.ts';

/** Whether OpenSSL can read a PEM block as a revocation list (RFC 5280, 5.1): HAProxy refuses a file with one that it cannot, and its whole configuration. */
export function isRevocationList({ pem }: PemBlock): boolean {
  try {
    tls.createSecureContext({ crl: pem });
    return true;
  } catch {
    return false;
  }
}
