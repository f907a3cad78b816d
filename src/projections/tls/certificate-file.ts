import { createHash } from 'node:crypto';
import type { SecretRef } from './secret-ref.ts';

/** Names of the agents' files may have 255 bytes, with the folder and what tells entries of one Secret apart. */
const longest = 180;

/**
 * The file of a Secret's certificate, unique: no Kubernetes name contains `_`. Names that are too long for a file are told apart by a digest.
 *
 * @param part counts the entries that share the certificate, from 0
 */
export function certificateFile({ namespace, name }: SecretRef, part: number): string {
  const full = `${namespace}_${name}`;
  const digest = () => createHash('sha256').update(full).digest('hex').slice(0, 32);
  const stem = full.length <= longest ? full : `${full.slice(0, longest - 33)}_${digest()}`;
  return part === 0 ? `${stem}.pem` : `${stem}_${part}.pem`;
}
