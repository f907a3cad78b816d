import type { KubeObject } from '../api/kube-object.ts';
import type { Problem } from '../lib/problem.ts';

/** Why nothing new arrives of a kind, in a word. */
export type DegradedReason =
  /** 403: the service account may not list or watch it. */
  | 'forbidden'
  /** 404 after it had been served: the CRD or API group is gone. */
  | 'vanished'
  /** 400, 405, 422: the API server will not have this request (a bad selector). */
  | 'refused'
  /** Several attempts in a row failed. */
  | 'unreachable';

/**
 * What a list+watch of one kind says, in order. A (re)list is bracketed: between `init` and `init-done` come the objects
 * that exist, and whatever is not among them is gone. An `init` within a bracket starts it anew (the former one failed
 * midway). Within a bracket `delete` takes back an `init-apply`.
 */
export type WatchEvent =
  | { readonly kind: 'init' }
  | { readonly kind: 'init-apply'; readonly object: KubeObject }
  | { readonly kind: 'init-done'; readonly resourceVersion: string }
  | { readonly kind: 'apply'; readonly object: KubeObject }
  | { readonly kind: 'delete'; readonly object: KubeObject }
  /** The API does not serve the kind and did not before. Said once. */
  | { readonly kind: 'absent'; readonly message: string }
  /** Everything known so far is kept. Said once per reason. */
  | { readonly kind: 'degraded'; readonly reason: DegradedReason; readonly message: string }
  | { readonly kind: 'recovered' }
  /** An attempt failed; the next one comes in `delayMs`. */
  | {
      readonly kind: 'retrying';
      readonly attempt: number;
      readonly delayMs: number;
      readonly message: string;
    }
  /** A list came back empty although `held` objects were known; a second one decides. */
  | { readonly kind: 'empty-unconfirmed'; readonly held: number }
  /** An object was dropped: it is not what the API promises. */
  | { readonly kind: 'malformed'; readonly problem: Problem };
