import { fileStem } from './file-stem.ts';
import type { SecretRef } from './secret-ref.ts';

/** The files of a Secret's authorities and of what they have revoked, unique beside those of certificates. */
export function trustFile(secret: SecretRef, kind: 'ca' | 'crl'): string {
  return `${fileStem(secret)}_${kind}.pem`;
}
