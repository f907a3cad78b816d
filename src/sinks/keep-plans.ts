import {
  type Observable,
  EMPTY,
  catchError,
  combineLatest,
  defer,
  filter,
  map,
  of,
  scan,
  switchMap,
  tap,
  timer,
} from 'rxjs';
import type { AgentClient } from '../fleet/agent-client.ts';
import { createSlots } from '../operators/create-slots.ts';
import { coalesce } from '../operators/coalesce.ts';
import { perKeyLatest } from '../operators/per-key-latest.ts';
import type { DeliveryAcked, DeliveryReport } from '../protocol/delivery-report.ts';
import type { Plan } from '../protocol/plan.ts';
import { authorityOf, type HaproxyPod } from '../protocol/pod.ts';
import type { PlanBlobs } from './plan-blobs.ts';

export interface KeepPlansDeps {
  readonly delivery$: Observable<DeliveryReport>;
  readonly fleet$: Observable<readonly HaproxyPod[]>;
  readonly plans: { get(id: string): Plan | undefined };
  readonly blobs: Pick<PlanBlobs, 'encode'>;
  readonly client: Pick<AgentClient, 'storePlan'>;
  /** See {@link LeaderEpoch.isHeld}: nothing is left with pods that somebody else writes to. */
  readonly isHeld: () => boolean;
  /** Milliseconds between a delivery and its upload, in which later deliveries take its place. */
  readonly delay: number;
}

/** How an upload ended. `moved`: the pod has applied something else meanwhile; a later upload will be about that. */
export interface KeptPlan {
  readonly pod: HaproxyPod;
  readonly planId: string;
  /** `unsupported`: the pod's agent keeps no plans, and is not asked again. */
  readonly outcome: 'stored' | 'moved' | 'too-large' | 'unsupported' | 'failed';
}

const uploadsAtOnce = 2;

/**
 * Leaves the plan of what a pod holds with the pod, so that the next controller starts from it without a reload. Off the
 * critical path: an upload waits `delay` after a delivery, and takes the newest one by then; one per pod and two in all at a time.
 *
 * Loss policy: latest wins per pod. A failed upload is an outcome, not an error: the pod's next report, at the latest that of
 * the next drift pass, leads to another.
 */
export function keepPlans(deps: KeepPlansDeps): Observable<KeptPlan> {
  const newest = new Map<string, DeliveryAcked>();
  const without = new Set<string>();
  const settled = new WeakSet<DeliveryAcked>();
  const uploads = createSlots({ total: uploadsAtOnce, suspects: uploadsAtOnce });
  const acked$ = deps.delivery$.pipe(
    filter((report) => report.kind === 'acked'),
    scan((held, report) => held.set(authorityOf(report.pod), report), newest),
  );
  return combineLatest([acked$, deps.fleet$]).pipe(
    coalesce(),
    map(([held, pods]) => {
      const present = new Set(pods.map(authorityOf));
      for (const authority of held.keys()) if (!present.has(authority)) held.delete(authority);
      for (const authority of without) if (!present.has(authority)) without.delete(authority);
      return [...held.values()].filter(isMissing);
    }),
    perKeyLatest({
      keyOf: (report) => authorityOf(report.pod),
      // A report about the same plan is news: the upload that the former one led to has failed.
      concurrent: Infinity,
      project: ({ pod }) =>
        timer(deps.delay).pipe(
          switchMap(() => {
            const report = newest.get(authorityOf(pod));
            return report === undefined || !isMissing(report) ? EMPTY : inTurn(report);
          }),
        ),
    }),
  );

  /** Waiting takes no turn. Pods that had to wait are mostly on one plan, encoded once; who has moved on meanwhile waits anew. */
  function inTurn(report: DeliveryAcked): Observable<KeptPlan> {
    return uploads.run(
      defer(() => (newest.get(authorityOf(report.pod)) === report && deps.isHeld() ? upload(report) : EMPTY)),
    );
  }

  function isMissing(report: DeliveryAcked): boolean {
    return !report.isPlanStored && !settled.has(report) && !without.has(authorityOf(report.pod));
  }

  function upload(report: DeliveryAcked): Observable<KeptPlan> {
    const { pod, planId, appliedProof } = report;
    const plan = deps.plans.get(planId);
    if (plan === undefined) return EMPTY;
    const as = (outcome: KeptPlan['outcome']): KeptPlan => ({ pod, planId, outcome });
    return deps.blobs.encode(plan).pipe(
      switchMap((blob) =>
        blob === undefined
          ? of(as('too-large'))
          : deps.client.storePlan(pod, { id: planId, proof: appliedProof, blob }, deps.isHeld).pipe(map(as)),
      ),
      tap(({ outcome }) => {
        settled.add(report);
        if (outcome === 'unsupported') without.add(authorityOf(pod));
      }),
      catchError(() => of(as('failed'))),
    );
  }
}
