import {
  EMPTY,
  type Observable,
  type OperatorFunction,
  asyncScheduler,
  defer,
  expand,
  switchMap,
  takeUntil,
  tap,
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
  /** The configuration as it stands there as far as is known; undefined when there is none. */
  readonly seen: () => KubeObject | undefined;
  /** Milliseconds between attempts: doubles from `min` to `max`. */
  readonly retry: { readonly min: number; readonly max: number };
}

/**
 * Writes what became of a configuration into its status, and tells how each attempt ended. What stands there already is not written:
 * that is what was written last, and what was seen since, of the object with this uid. Of an object that is not there any more,
 * or was made anew, nothing is written.
 * Loss policy: one write at a time; of the judgements that come meanwhile the newest is written. A write that failed is tried
 * again until there is a newer judgement.
 */
export function writeConfigStatus({
  apply,
  seen,
  retry,
}: WriteConfigStatusDeps): OperatorFunction<ConfigJudgement, StatusWritten> {
  return (judgement$) =>
    defer(() => {
      /** And the object as it was seen until then: it takes a while until what was written is seen. */
      let last: { readonly status: unknown; readonly seen: KubeObject } | undefined;
      const statusesOf = (present: KubeObject): readonly unknown[] => {
        if (last === undefined || last.seen.metadata.uid !== present.metadata.uid) return [present['status']];
        return present === last.seen ? [last.status] : [last.status, present['status']];
      };

      const write = (judgement: ConfigJudgement): Observable<StatusWritten> =>
        defer(() => {
          const present = seen();
          if (present?.metadata.uid !== judgement.object.metadata.uid || present === undefined) return EMPTY;
          const now = new Date(asyncScheduler.now()).toISOString();
          const object = configStatus(judgement, statusesOf(present), now);
          if (object === undefined) return EMPTY;
          return apply(object).pipe(
            tap(({ kind }) => {
              if (kind === 'written') last = { status: object['status'], seen: present };
            }),
          );
        });

      return judgement$.pipe(
        exhaustMapLatest((judgement, newer$) =>
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
        ),
      );
    });
}
