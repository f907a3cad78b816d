import type { BackoffPolicy } from '../lib/backoff.ts';

/** How a list+watch waits and when it gives up waiting. Milliseconds unless the name says otherwise. */
export interface ListWatchPolicy {
  readonly backoff: BackoffPolicy;
  /** Before the next try at what only a person can mend: 403, a kind that is not served, a refused request. */
  readonly slowRetry: number;
  /** Failures in a row after which a kind counts as degraded. */
  readonly degradedAfter: number;
  /** Objects of a list page. */
  readonly pageSize: number;
  /** Silence before the end of the initial events after which the server is taken not to know streaming lists. */
  readonly markerSilence: number;
  /** The same for a server that keeps sending events but never that end. */
  readonly markerTotal: number;
  /** Range from which each watch's `timeoutSeconds` is drawn. */
  readonly watchSeconds: { readonly min: number; readonly max: number };
  /** How much longer than `timeoutSeconds` a watch may be silent before it counts as dead. */
  readonly idleMargin: number;
  /** A watch that the server ends sooner than this without an event is a failure. */
  readonly shortWatch: number;
  /** Before the second list that has to confirm an empty one. */
  readonly confirmAfter: number;
}

/** Those of client-go and kube-rs where they have one. */
export const defaultListWatchPolicy: ListWatchPolicy = {
  backoff: { min: 400, max: 30_000, factor: 2, jitter: 0.25, resetAfter: 120_000 },
  slowRetry: 30_000,
  degradedAfter: 3,
  pageSize: 500,
  markerSilence: 10_000,
  markerTotal: 60_000,
  watchSeconds: { min: 240, max: 290 },
  idleMargin: 5_000,
  shortWatch: 1_000,
  confirmAfter: 1_000,
};

/**
 * The default policy with watches of at most `seconds`; each ends up to a sixth earlier, so that not all start anew at once.
 */
export function listWatchPolicyFor(seconds: number): ListWatchPolicy {
  return { ...defaultListWatchPolicy, watchSeconds: { min: Math.ceil((seconds * 5) / 6), max: seconds } };
}
