import { showValue } from '../show-value.ts';

/** Every annotation of ours begins so. */
export const annotationPrefix = 'haproxy-haptic.org/';

/** An annotation of ours as the field of an object, for problems. */
export function annotationField(key: string): string {
  return `metadata.annotations[${showValue(annotationPrefix + key)}]`;
}
