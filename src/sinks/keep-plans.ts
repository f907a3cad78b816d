import {
  type Observable,
  EMPTY,
  catchError,
  combineLatest,
  filter,
  map,
  of,
  scan,
  switchMap,
  timer,
} from 'rxjs';
import type { AgentClient } from '../fleet/agent-client.ts';
import { abortable } from '../operators/abortable.ts';
import { coalesce } from '../operators/coalesce.ts';
import { perKeyLatest } from '../operators/per-key-latest.ts';
import type { DeliveryAcked, DeliveryReport } from '../protocol/delivery-report.ts';
import type { Plan } from '../protocol/plan.ts';
import type { HaproxyPod } from '../protocol/pod.ts';

export interface KeepPlansDeps {
  readonly delivery$: Observable<DeliveryReport>;
  readonly fleet$: Observable<readonly HaproxyPod[]>;
  readonly plans: { get(id: string): Plan | undefined };
  /** Undefined: too large for a pod to keep. */
  readonly encodePlan: (plan: Plan, signal: AbortSignal) => Promise<Uint8Array | undefined>;
  readonly client: Pick<AgentClient, 'storePlan'>;
  /** Milliseconds between a delivery and its upload, in which later deliveries take its place. */
  readonly delay: number;
}

/** How an upload ended. `moved`: the pod has applied something else meanwhile; a later upload will be about that. */
export interface KeptPlan {
  readonly pod: HaproxyPod;
  readonly planId: string;
  readonly outcome: 'stored' | 'moved' | 'too-large' | 'failed';
}

/**
 * Leaves the plan of what a pod runs with the pod, so that the next controller starts from it without a reload. Off the
 * critical path: an upload waits `delay` after a delivery, and takes the newest one by then; one per pod at a time.
 *
 * Loss policy: latest wins per pod. A failed upload is an outcome, not an error: the next delivery or drift pass leads to
 * another.
 */
export function keepPlans(deps: KeepPlansDeps): Observable<KeptPlan> {
  const newest = new Map<string, DeliveryAcked>();
  const acked$ = deps.delivery$.pipe(
    filter((report) => report.kind === 'acked'),
    scan((held, report) => held.set(report.pod.key, report), newest),
  );
  return combineLatest([acked$, deps.fleet$]).pipe(
    coalesce(),
    map(([held, pods]) => {
      for (const key of held.keys()) if (!pods.some((pod) => pod.key === key)) held.delete(key);
      return [...held.values()].filter((report) => !report.isPlanStored);
    }),
    perKeyLatest({
      keyOf: (report) => report.pod.key,
      same: (a, b) => a.planId === b.planId && a.appliedProof === b.appliedProof,
      concurrent: 2,
      project: ({ pod }) =>
        timer(deps.delay).pipe(
          switchMap(() => {
            const report = newest.get(pod.key);
            return report === undefined || report.isPlanStored ? EMPTY : upload(report);
          }),
        ),
    }),
  );

  function upload({ pod, planId, appliedProof }: DeliveryAcked): Observable<KeptPlan> {
    const plan = deps.plans.get(planId);
    if (plan === undefined) return EMPTY;
    const as = (outcome: KeptPlan['outcome']): KeptPlan => ({ pod, planId, outcome });
    return abortable((signal) => deps.encodePlan(plan, signal)).pipe(
      switchMap((blob) =>
        blob === undefined
          ? of(as('too-large'))
          : deps.client
              .storePlan(pod, { id: planId, proof: appliedProof, blob })
              .pipe(map((isStored) => as(isStored ? 'stored' : 'moved'))),
      ),
      catchError(() => of(as('failed'))),
    );
  }
}
