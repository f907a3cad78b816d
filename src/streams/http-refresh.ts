import { NEVER, type Observable, concatMap, defer, of, repeat, tap, timeout, timer } from 'rxjs';
import { backoffDelay, spread, type BackoffPolicy } from '../lib/backoff.ts';
import { type FetchOutcome, fetchFailure } from '../lib/http/fetch-outcome.ts';
import type { HttpWant } from '../protocol/http-content.ts';

export interface HttpRefreshDeps {
  /** One attempt: emits one outcome and completes; unsubscribing ends it. */
  readonly fetch: () => Observable<FetchOutcome>;
  /** Runs an attempt when there is room for it; one after a failure is under suspicion to take long. */
  readonly slot: <T>(attempt$: Observable<T>, isSuspect: boolean) => Observable<T>;
  /** In [0, 1). */
  readonly random: () => number;
}

/** Between attempts of one round; the last delay is 32 times the first. */
const attempts: BackoffPolicy = { min: 1_000, max: 32_000, factor: 2, jitter: 0.1, resetAfter: 0 };
/** Between rounds of which none gave anything. */
const rounds: BackoffPolicy = { min: 10_000, max: 300_000, factor: 2, jitter: 0.2, resetAfter: 0 };
/** Nothing is fetched more often. */
const shortestRefresh = 1_000;
const refreshJitter = 0.1;

/**
 * The fetches of one URL: at once, then in rounds. A round is one attempt and, where another one may help, up to `retries` more, each
 * bounded by `timeout`; what it ended with is emitted. The next round begins `refresh` after the end of the last one; after a failed one
 * sooner if that is longer than the growing pause after failures. Without `refresh` nothing follows a success. Nothing is asked
 * before the time that a server says in `Retry-After`.
 *
 * Loss policy: none, rounds never overlap. Never errors, never completes; unsubscribing ends what is under way.
 */
export function httpRefresh(
  { refresh, retries, timeout: limit }: Pick<HttpWant, 'refresh' | 'retries' | 'timeout'>,
  { fetch, slot, random }: HttpRefreshDeps,
): Observable<FetchOutcome> {
  const bounded = (isSuspect: boolean): Observable<FetchOutcome> =>
    slot(
      defer(fetch).pipe(
        timeout({
          first: limit,
          with: () => of(fetchFailure('FetchFailed', `no answer within ${limit / 1000} s`, true)),
        }),
      ),
      isSuspect,
    );
  const round = (attempt: number, isSuspect: boolean): Observable<FetchOutcome> =>
    bounded(isSuspect).pipe(
      concatMap((outcome) => {
        if (outcome.kind !== 'failed' || !outcome.again || attempt >= retries) return of(outcome);
        const { retryAfter = 0 } = outcome;
        if (retryAfter > attempts.max) return of(outcome);
        const delay = Math.max(retryAfter, backoffDelay(attempts, attempt, random()));
        return timer(delay).pipe(concatMap(() => round(attempt + 1, true)));
      }),
    );
  return defer(() => {
    let failures = 0;
    let alone = 0;
    const note = (outcome: FetchOutcome): void => {
      failures = outcome.kind === 'failed' ? failures + 1 : 0;
      alone = outcome.kind === 'failed' ? (outcome.retryAfter ?? 0) : 0;
    };
    const pause = (): Observable<unknown> => {
      const regular = Math.max(shortestRefresh, spread(refresh, refreshJitter, random()));
      if (failures === 0) return refresh === 0 ? NEVER : timer(regular);
      const growing = backoffDelay(rounds, failures - 1, random());
      return timer(Math.max(alone, refresh === 0 ? growing : Math.min(regular, growing)));
    };
    return defer(() => round(0, failures > 0)).pipe(tap(note), repeat({ delay: pause }));
  });
}
