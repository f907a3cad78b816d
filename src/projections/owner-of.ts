import type { KubeObject } from '../api/kube-object.ts';
import type { Owner } from '../lib/owner.ts';

/** The owner reference of an object whose kind is known by where it came from. */
export function ownerOf(kind: string, object: KubeObject): Owner {
  return { kind, namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}
