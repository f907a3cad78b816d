import type { KubeObject } from '../../api/kube-object.ts';

export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface ObjectChange<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

/** What the stand-ins need of the API. Rejections are the API's refusals, with its message. */
export interface ObjectClient {
  /** `undefined` when there is no such object. */
  readonly get: (ref: ObjectRef) => Promise<KubeObject | undefined>;
  readonly create: (object: KubeObject) => Promise<KubeObject>;
  /** A JSON merge patch; on `subresource` when given. */
  readonly merge: (ref: ObjectRef, patch: object, subresource?: 'status') => Promise<KubeObject>;
  /** Deleting what is not there is no error. */
  readonly remove: (ref: ObjectRef, options?: { readonly gracePeriodSeconds?: number }) => Promise<void>;
  /** Server-side apply with force. */
  readonly apply: (object: KubeObject, fieldManager: string) => Promise<KubeObject>;
  /** Every object there is as ADDED, then each change, in order. Ends with the returned function. */
  readonly watch: <T extends KubeObject>(
    apiVersion: string,
    kind: string,
    listener: (change: ObjectChange<T>) => void,
  ) => () => void;
}

export function refOf(object: KubeObject): ObjectRef {
  return {
    apiVersion: object.apiVersion ?? '',
    kind: object.kind ?? '',
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
  };
}
