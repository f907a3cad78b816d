/** Which collection of the API is meant. */
export interface ResourceRef {
  /** `v1`, `networking.k8s.io/v1` */
  readonly apiVersion: string;
  /** Plural resource name: `ingresses`. */
  readonly resources: string;
  /** All namespaces (or a cluster-scoped kind) when left out. */
  readonly namespace?: string;
}

/**
 * The path of a collection, or of one object in it: `/apis/networking.k8s.io/v1/namespaces/shop/ingresses/front/status`.
 * Every part is percent-encoded, so that no name can reach another path.
 */
export function resourcePath(ref: ResourceRef, name?: string, subresource?: string): string {
  const parts = [
    ref.apiVersion.includes('/') ? 'apis' : 'api',
    ...ref.apiVersion.split('/'),
    ...(ref.namespace === undefined ? [] : ['namespaces', ref.namespace]),
    ref.resources,
    ...(name === undefined ? [] : [name]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}
