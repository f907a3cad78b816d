import {
  concat,
  defer,
  EMPTY,
  expand,
  filter,
  map,
  merge,
  mergeMap,
  type Observable,
  observeOn,
  asapScheduler,
  of,
  take,
  takeUntil,
  tap,
  timeout,
  timer,
  ignoreElements,
} from 'rxjs';
import type { KubeObject } from '../api/kube-object.ts';
import type { Arrival, OnDemandCache, Want } from '../collections/on-demand-cache.ts';
import { describeFailure, type KubeFailure, type KubeResult } from '../kube/kube-failure.ts';
import { backoffDelay, type BackoffPolicy } from '../lib/backoff.ts';
import { createSlots } from '../operators/create-slots.ts';

export interface FetchObjectsDeps {
  readonly cache: OnDemandCache<KubeObject>;
  /** Reads one object, by its key in the store. One value, then completion. */
  readonly read: (key: string) => Observable<KubeResult<KubeObject>>;
  /** In [0, 1): spreads retries. */
  readonly random: () => number;
  readonly policy: FetchPolicy;
  /** Told what came of each object that was wanted. */
  readonly told?: (result: Arrival['kind']) => void;
}

/** Milliseconds unless the name says otherwise. */
export interface FetchPolicy {
  /** Requests at once. */
  readonly concurrent: number;
  /** Longest attempt. */
  readonly deadline: number;
  /** Attempts before an object counts as unreadable, where another may help. */
  readonly attempts: number;
  readonly backoff: BackoffPolicy;
  /** Between two looks for objects that nobody asked for within the time to live; 0: never. */
  readonly expireEvery: number;
}

export const defaultFetchPolicy: Omit<FetchPolicy, 'expireEvery'> = {
  concurrent: 16,
  deadline: 10_000,
  attempts: 3,
  backoff: { min: 200, max: 30_000, factor: 2, jitter: 0.25, resetAfter: 120_000 },
};

const deadlineCode = 'DEADLINE';

/**
 * Reads what somebody wants of a store on demand, and emits whenever that changed something for those who want it. What fails
 * in passing is tried again; then, and at once where no retry helps, the object counts as unreadable until somebody asks for it
 * again, which is answered with growing delays. An object that is gone, or that nobody can want any more, is given up.
 *
 * Begins after the turn in which the want came up. Loss policy: none. Never errors, never completes.
 */
export function fetchObjects({ cache, read, random, policy, told }: FetchObjectsDeps): Observable<void> {
  const slots = createSlots({ total: policy.concurrent, suspects: policy.concurrent });
  const attempt = (key: string): Observable<KubeResult<KubeObject>> =>
    slots.run(
      defer(() => read(key)).pipe(
        take(1),
        timeout({ first: policy.deadline, with: () => of(tooSlow(policy.deadline)) }),
      ),
    );
  const delayOf = (failures: number): number => backoffDelay(policy.backoff, failures, random());

  const fetch = (want: Want): Observable<void> => {
    /** Who asks again after a failure waits for it. */
    const due$ = want.failures === 0 ? EMPTY : timer(delayOf(want.failures - 1)).pipe(ignoreElements());
    const attempts = want.failures === 0 ? policy.attempts : 1;
    const result$ = attempt(want.key).pipe(
      map((result) => ({ result, count: 1 })),
      expand(({ result, count }) =>
        result.ok || count >= attempts || !isPassing(result.failure)
          ? EMPTY
          : concat(
              timer(delayOf(count - 1)).pipe(ignoreElements()),
              attempt(want.key).pipe(map((next) => ({ result: next, count: count + 1 }))),
            ),
      ),
      filter(({ result, count }) => result.ok || count >= attempts || !isPassing(result.failure)),
      map(({ result }) => result),
    );
    return concat(due$, result$).pipe(
      map((result) => settle(cache, want, result)),
      tap((came) => told?.(came)),
      map(() => undefined),
      takeUntil(cache.dropped$.pipe(filter((key) => key === want.key))),
    );
  };

  const expire$ = timer(policy.expireEvery, policy.expireEvery).pipe(
    tap(() => cache.expire()),
    ignoreElements(),
  );
  return merge(
    // Wants come up while a turn runs.
    cache.wanted$.pipe(observeOn(asapScheduler), mergeMap(fetch)),
    policy.expireEvery > 0 ? expire$ : EMPTY,
  );
}

function settle(
  cache: OnDemandCache<KubeObject>,
  want: Want,
  result: KubeResult<KubeObject>,
): Arrival['kind'] {
  if (result.ok) {
    cache.arrived(want, result.value);
    return 'here';
  }
  if (isGone(result.failure)) {
    cache.gone(want);
    return 'gone';
  }
  cache.failed(want, describeFailure(result.failure));
  return 'failed';
}

function isGone(failure: KubeFailure): boolean {
  return failure.kind === 'http' && failure.status === 404;
}

/** Whether another attempt may be answered otherwise, without anybody's doing. Who has waited for the deadline has waited long enough. */
function isPassing(failure: KubeFailure): boolean {
  if (failure.kind === 'network' && failure.code === deadlineCode) return false;
  return failure.kind !== 'http' || failure.status === 429 || failure.status >= 500;
}

function tooSlow(ms: number): KubeResult<KubeObject> {
  return {
    ok: false,
    failure: { kind: 'network', code: deadlineCode, message: `no answer within ${ms / 1000} s` },
  };
}
