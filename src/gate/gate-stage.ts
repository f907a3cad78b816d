import { EMPTY, type Observable, type OperatorFunction, expand, switchMap, takeUntil, timer } from 'rxjs';
import { exhaustMapLatest } from '../operators/exhaust-map-latest.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { Plan } from '../protocol/plan.ts';

export interface GateStageOptions<V> {
  /** One check of one plan: emits one verdict and completes, never errors. */
  readonly check: (plan: Plan) => Observable<V>;
  readonly isChecked: (verdict: V) => boolean;
  /** Milliseconds between attempts when a check could not run: doubles from `min` to `max`. */
  readonly retry: { readonly min: number; readonly max: number };
}

/**
 * The check of every render by HAProxy itself: one at a time, newest first. A check that could not run is repeated with
 * growing delays until it can, or until a newer render takes its place.
 *
 * Loss policy: renders that a newer one overtakes while a check runs are never checked.
 */
export function gateStage<V>({ check, isChecked, retry }: GateStageOptions<V>): OperatorFunction<Bundle, V> {
  return exhaustMapLatest((bundle, newer$) =>
    check(bundle.plan).pipe(
      expand((verdict, attempt) =>
        isChecked(verdict)
          ? EMPTY
          : timer(Math.min(retry.max, retry.min * 2 ** attempt)).pipe(
              switchMap(() => check(bundle.plan)),
              takeUntil(newer$),
            ),
      ),
    ),
  );
}
