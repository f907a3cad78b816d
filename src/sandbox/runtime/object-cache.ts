import type { KubeObject } from '../../api/kube-object.ts';
import type { ObjectChange, ObjectClient } from './object-client.ts';

/** The objects of one kind as last seen, by `namespace/name`. */
export interface ObjectCache<T> {
  readonly get: (key: string) => T | undefined;
  readonly inNamespace: (namespace: string) => readonly T[];
  readonly all: () => Iterable<T>;
  readonly stop: () => void;
}

export function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

/**
 * Watches a kind. `onChange` is told of each change after the cache shows it, with the version that was there before.
 */
export function cacheObjects<T extends KubeObject>(
  client: ObjectClient,
  apiVersion: string,
  kind: string,
  onChange: (change: ObjectChange<T>, before: T | undefined) => void,
): ObjectCache<T> {
  const objects = new Map<string, T>();
  const stop = client.watch<T>(apiVersion, kind, (change) => {
    const key = keyOf(change.object);
    const before = objects.get(key);
    if (change.type === 'DELETED') objects.delete(key);
    else objects.set(key, change.object);
    onChange(change, before);
  });
  return {
    get: (key) => objects.get(key),
    inNamespace: (namespace) =>
      [...objects.values()].filter((object) => object.metadata.namespace === namespace),
    all: () => objects.values(),
    stop,
  };
}
