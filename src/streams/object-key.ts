import type { KubeObject } from '../api/kube-object.ts';

/** Key of an object in its store: `namespace/name`, or `name` for cluster-scoped kinds. */
export function objectKey({ metadata }: KubeObject): string {
  const { namespace, name } = metadata;
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}
