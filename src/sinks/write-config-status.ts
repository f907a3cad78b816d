import {
  EMPTY,
  type Observable,
  type OperatorFunction,
  asyncScheduler,
  defer,
  expand,
  switchMap,
  takeUntil,
  timer,
} from 'rxjs';
import type { KubeObject } from '../api/kube-object.ts';
import { exhaustMapLatest } from '../operators/exhaust-map-latest.ts';
import { type ConfigJudgement, configStatus } from './config-status.ts';

/** How an attempt to write ended. `gone`: there is nothing to write to. */
export type StatusWritten =
  { readonly kind: 'written' | 'gone' } | { readonly kind: 'failed'; readonly message: string };

export interface WriteConfigStatusDeps {
  /** Applies a status. Emits once and completes, never errors. */
  readonly apply: (object: KubeObject) => Observable<StatusWritten>;
  /** Milliseconds between attempts: doubles from `min` to `max`. */
  readonly retry: { readonly min: number; readonly max: number };
}

/**
 * Writes what became of a configuration into its status, and tells how each attempt ended. What stands there already is not written.
 * Loss policy: one write at a time; of the judgements that come meanwhile the newest is written. A write that failed is tried
 * again until there is a newer judgement.
 */
export function writeConfigStatus({
  apply,
  retry,
}: WriteConfigStatusDeps): OperatorFunction<ConfigJudgement, StatusWritten> {
  const write = (judgement: ConfigJudgement): Observable<StatusWritten> =>
    defer(() => {
      const object = configStatus(judgement, new Date(asyncScheduler.now()).toISOString());
      return object === undefined ? EMPTY : apply(object);
    });
  return exhaustMapLatest((judgement, newer$) =>
    write(judgement).pipe(
      expand((written, attempt) =>
        written.kind === 'failed'
          ? timer(Math.min(retry.max, retry.min * 2 ** attempt)).pipe(
              switchMap(() => write(judgement)),
              takeUntil(newer$),
            )
          : EMPTY,
      ),
    ),
  );
}
