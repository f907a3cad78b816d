import type { KubeObject, ObjectMeta } from '../../api/kube-object.ts';

/** An object as the API holds it: identified, stamped and never mutated, since readers share it. */
export interface ApiObject extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ApiMeta;
}

export interface ApiMeta extends ObjectMeta {
  readonly generateName?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFields[];
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** One manager's fields; `fieldsV1` is the trie that kube-apiserver writes (`f:name`, `k:{…}`, `v:…`, `.`). */
export interface ManagedFields {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: FieldTrie;
  readonly subresource?: string;
}

export interface FieldTrie {
  readonly [element: string]: FieldTrie;
}
