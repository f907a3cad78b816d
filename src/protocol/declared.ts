import type { OrderedMap } from '../lib/ordered-map.ts';
import type { Owner } from '../lib/owner.ts';

/** Plain JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A Kubernetes object as something to point at. `namespace` is empty for cluster-scoped kinds. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * A Kubernetes object that templates want to exist: printed under `k8sResources`. Whoever applies them creates what is new,
 * brings what is there to it, and removes its own that are declared no more.
 */
export interface DeclaredResource {
  readonly reference: ObjectReference;
  /** The whole manifest. Without `metadata.namespace` for namespaced kinds: that of the controller. */
  readonly object: JsonObject;
  /** Paths such as `data.token`, set when the object is created and left alone after that. */
  readonly createOnlyFields: readonly string[];
  /** The object whose fragment printed it, or the template. */
  readonly owner: Owner;
  /** `template:line:column`. */
  readonly place: string;
}

/**
 * When a status holds: `rendered` as long as the object's output is in the newest render, `deployed` when every HAProxy pod runs it,
 * `deployFailed` while pods fail to take it, `validateFailed` while the object is held back because HAProxy refused what it printed,
 * `renderFailed` while its template fails. Several may hold at once: what a later one of this list says counts.
 */
export const statusPhases = [
  'rendered',
  'deployed',
  'deployFailed',
  'validateFailed',
  'renderFailed',
] as const;
export type StatusPhase = (typeof statusPhases)[number];

/** What templates say about an object's status, by phase. */
export interface StatusPatch {
  readonly target: ObjectReference;
  readonly variants: Readonly<Partial<Record<StatusPhase, JsonObject>>>;
  readonly owner: Owner;
  readonly place: string;
}

/** Something to tell in an Event about an object: once when it begins to be declared, not again while it stays. */
export interface DeclaredEvent {
  readonly about: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  /** CamelCase constant. */
  readonly reason: string;
  /** At most 1,024 bytes. */
  readonly message: string;
  readonly owner: Owner;
  readonly place: string;
}

/** What a render declares besides files. Versions share what did not change; the same map as long as nothing did. */
export interface Declared {
  /** By `referenceKey`. */
  readonly resources: OrderedMap<DeclaredResource>;
  /** By `referenceKey` of the target. */
  readonly statusPatches: OrderedMap<StatusPatch>;
  /** By `referenceKey` of what it is about, reason and message. */
  readonly events: OrderedMap<DeclaredEvent>;
}

/** `networking.k8s.io/v1 Ingress web/shop`: one key for one object of one version of its API. */
export function referenceKey({ apiVersion, kind, namespace, name }: ObjectReference): string {
  return `${apiVersion} ${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}
