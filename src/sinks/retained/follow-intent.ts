import {
  type Observable,
  combineLatest,
  concat,
  distinctUntilChanged,
  ignoreElements,
  map,
  of,
  tap,
  timer,
} from 'rxjs';
import type { LatchState } from '../../gate/latch.ts';
import { coalesce } from '../../operators/coalesce.ts';
import { exhaustMapLatest } from '../../operators/exhaust-map-latest.ts';
import type { DeploymentIntent } from '../../protocol/deployment-intent.ts';
import type { Leadership } from '../../protocol/leadership.ts';
import type { Plan } from '../../protocol/plan.ts';

export interface FollowIntentDeps {
  readonly latch$: Observable<Pick<LatchState, 'released'>>;
  readonly leadership$: Observable<Leadership>;
  /** Of a plan's haproxy.cfg, beside the main thread. Emits once and completes. */
  readonly checksum: (plan: Plan) => Observable<string | undefined>;
  /** Least milliseconds between two of them. */
  readonly pause: number;
}

/**
 * What goes out to HAProxy pods, as it is to be written down. Undefined at the beginning of a term: what stands there stays until this
 * leader lets something out, and so it does when a term ends, since what was let out goes along with the Lease.
 *
 * No change waits for this, and under churn one in `pause` is looked at: the newest.
 */
export function followIntent(deps: FollowIntentDeps): Observable<DeploymentIntent | undefined> {
  let term: number | undefined;
  return combineLatest([deps.latch$, deps.leadership$]).pipe(
    coalesce(),
    map(([{ released }, leadership]) => ({
      term: leadership.kind === 'leading' ? leadership.epoch : undefined,
      plan: released?.plan,
    })),
    distinctUntilChanged((a, b) => a.term === b.term && a.plan?.id === b.plan?.id),
    exhaustMapLatest(({ term: current, plan }): Observable<DeploymentIntent | undefined> => {
      if (current === undefined) return of();
      const isNew = term !== current;
      term = current;
      const begin$ = isNew ? of(undefined) : of();
      if (plan === undefined) return begin$;
      const intent$ = deps
        .checksum(plan)
        .pipe(map((checksum) => (checksum === undefined ? undefined : { planId: plan.id, checksum })));
      return concat(begin$, intent$, timer(deps.pause).pipe(ignoreElements()));
    }),
    tap({ unsubscribe: () => (term = undefined) }),
  );
}
