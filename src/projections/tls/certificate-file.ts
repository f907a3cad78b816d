import { fileStem } from './file-stem.ts';
import type { SecretRef } from './secret-ref.ts';

/**
 * The file of a Secret's certificate.
 *
 * @param part counts the entries that share the certificate, from 0
 * @param variant tells apart hosts that are served in different ways; empty: as the configuration says of all
 */
export function certificateFile(secret: SecretRef, part: number, variant = ''): string {
  const words = [fileStem(secret), variant, part === 0 ? '' : String(part)];
  return `${words.filter((word) => word !== '').join('_')}.pem`;
}
