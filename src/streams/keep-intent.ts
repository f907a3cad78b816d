import {
  EMPTY,
  type Observable,
  concat,
  defer,
  distinctUntilChanged,
  filter,
  ignoreElements,
  map,
  of,
  race,
  switchMap,
  take,
  timer,
} from 'rxjs';
import { describeFailure, type KubeResult } from '../kube/kube-failure.ts';
import { perKeyLatest } from '../operators/per-key-latest.ts';
import { type DeploymentIntent, isSameIntent } from '../protocol/deployment-intent.ts';

export interface KeepIntentDeps {
  /** See {@link IntentBook.want}. */
  readonly intent$: Observable<DeploymentIntent | undefined>;
  /** One attempt. Emits once and completes; unsubscribing aborts it. */
  readonly write: (intent: DeploymentIntent) => Observable<KubeResult<unknown>>;
  /** Milliseconds from one write to the next, and from a failure to the next attempt: doubles from `min` to `max`. */
  readonly pause: number;
  readonly retry: { readonly min: number; readonly max: number };
}

export type IntentWritten =
  | { readonly kind: 'written'; readonly intent: DeploymentIntent }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Writes down what goes out, where no election does it along with its renewals: the first at once, then at most one per pause, the
 * newest of it. Loss policy: the newest wins. Never errors.
 */
export function keepIntent({ intent$, write, pause, retry }: KeepIntentDeps): Observable<IntentWritten> {
  return intent$.pipe(
    filter((intent) => intent !== undefined),
    distinctUntilChanged<DeploymentIntent>(isSameIntent),
    map((intent) => [intent]),
    perKeyLatest({
      keyOf: () => 'all',
      concurrent: 1,
      project: (intent, newer$) => attempt(intent, newer$, 0),
    }),
  );

  function attempt(
    intent: DeploymentIntent,
    newer$: Observable<void>,
    failures: number,
  ): Observable<IntentWritten> {
    const again$ = defer(() => {
      const wait = Math.min(retry.max, retry.min * 2 ** failures);
      return race(newer$.pipe(map(() => false)), timer(wait).pipe(map(() => true)));
    }).pipe(
      take(1),
      switchMap((isDue) => (isDue ? attempt(intent, newer$, failures + 1) : EMPTY)),
    );
    return defer(() => write(intent)).pipe(
      switchMap((result): Observable<IntentWritten> =>
        result.ok
          ? concat(of({ kind: 'written' as const, intent }), timer(pause).pipe(ignoreElements()))
          : concat(of({ kind: 'failed' as const, message: describeFailure(result.failure) }), again$),
      ),
    );
  }
}
