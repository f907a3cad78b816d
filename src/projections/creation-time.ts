import type { KubeObject } from '../api/kube-object.ts';

/** `metadata.creationTimestamp` in milliseconds; without a readable one an object counts as younger than all others. */
export function creationTime(object: KubeObject): number {
  const stamp: unknown = object.metadata.creationTimestamp;
  const time = typeof stamp === 'string' ? Date.parse(stamp) : NaN;
  return Number.isNaN(time) ? Number.MAX_SAFE_INTEGER : time;
}
