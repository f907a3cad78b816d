import type { SecretRef } from './secret-ref.ts';

/** The key of a Secret in its store. */
export function secretKey({ namespace, name }: SecretRef): string {
  return `${namespace}/${name}`;
}
