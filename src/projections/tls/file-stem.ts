import { createHash } from 'node:crypto';
import type { SecretRef } from './secret-ref.ts';

/** Names of the agents' files may have 255 bytes, with the folder and what tells files of one Secret apart. */
const longest = 180;

/** What names of a Secret's files begin with, unique: no Kubernetes name contains `_`. Names that are too long for a file are told apart by a digest. */
export function fileStem({ namespace, name }: SecretRef): string {
  const full = `${namespace}_${name}`;
  if (full.length <= longest) return full;
  const digest = createHash('sha256').update(full).digest('hex').slice(0, 32);
  return `${full.slice(0, longest - 33)}_${digest}`;
}
