import {
  EMPTY,
  NEVER,
  type Observable,
  asyncScheduler,
  catchError,
  concat,
  defer,
  expand,
  first,
  map,
  merge,
  of,
  repeat,
  switchMap,
  takeUntil,
  tap,
  timer,
} from 'rxjs';
import { errorMessage } from '../lib/error-message.ts';
import type { RunInSlicesOptions } from '../operators/run-in-slices.ts';
import type { AgentClient } from '../fleet/agent-client.ts';
import type { Slots } from '../operators/create-slots.ts';
import type { DeliveryCause, DeliveryReport } from '../protocol/delivery-report.ts';
import type { DeliverBundle, DeliveryTarget, RevertPlan } from '../protocol/delivery-target.ts';
import type { LeaderEpoch } from '../protocol/leader-epoch.ts';
import type { Plan } from '../protocol/plan.ts';
import type { HaproxyPod } from '../protocol/pod.ts';
import type { ApplyToken } from '../protocol/wire.ts';
import { createApplyRounds } from './apply-rounds.ts';
import { createComposer } from './compose-apply.ts';
import { type Attempt, failureOf, seenOf, wordsOf } from './delivery-words.ts';
import type { PlanCache } from './plan-cache.ts';
import type { PodBook } from './pod-book.ts';
import { isConverged, type PodKnowledge } from './pod-knowledge.ts';
import { createRevert, failedRevert } from './revert-pod.ts';

export interface DeliverDeps {
  readonly client: Pick<AgentClient, 'apply'>;
  readonly readPod: (pod: HaproxyPod, options: { readonly verify: boolean }) => Observable<PodKnowledge>;
  readonly epoch: LeaderEpoch;
  readonly plans: PlanCache;
  readonly book: PodBook;
  /** HAProxy's check passed this plan: pods may count on it. */
  readonly isAccepted: (planId: string) => boolean;
  /** The plan as a blob, where it is encoded already. */
  readonly blobOf: (plan: Plan) => Uint8Array | undefined;
  /** Attempts that run at the same time, over all pods. */
  readonly slots: Slots;
  /** How composing an apply pauses where much changed. */
  readonly slices: RunInSlicesOptions;
  /** Between 0 and 1. */
  readonly random: () => number;
  readonly timing: DeliveryTiming;
}

/** Milliseconds. */
export interface DeliveryTiming {
  /** Before a failed delivery is tried again: doubles from `min` to `max`. */
  readonly retry: { readonly min: number; readonly max: number };
  /** Longest attempt: no answer by then, and what the pod holds has to be asked; 0: as long as the client waits. */
  readonly syncTimeout: number;
  /** Longest attempt that may keep something newer waiting; 0: any. */
  readonly deploymentTimeout: number;
  /** From the last delivery to a pod to the question whether it still holds that; 0: never. */
  readonly driftInterval: number;
  /** Share of `driftInterval` over which pods are spread at random. */
  readonly driftSpread: number;
  /** Between two looks at a pod whose reload is due. */
  readonly observeInterval: number;
}

/**
 * Brings pods to what is wanted of them and keeps them there. Returns the work on one target for `perKeyLatest`: it delivers, tries
 * again with growing delays what failed, watches a scheduled reload come about without sending anything, and asks the pod now
 * and then whether it still holds what it got. It goes on until a newer target waits or it is unsubscribed; a report is emitted
 * per attempt and per thing seen. Nothing here errors.
 *
 * At most as many attempts as there are slots run at once; waiting takes no slot. Once the term is over nothing more is sent, also by
 * what waited for its slot or composes anew after a conflict: an attempt then ends without a report.
 */
export function createDelivery(
  deps: DeliverDeps,
): (target: DeliveryTarget, newer$: Observable<void>) => Observable<DeliveryReport> {
  const { timing, book, readPod } = deps;
  let sequence = 0;
  const nextToken = (): ApplyToken => ({ leader_epoch: deps.epoch.current(), render_seq: ++sequence });
  const compose = createComposer({
    planOf: (id) => deps.plans.get(id),
    epoch: deps.epoch.current,
    nextToken,
    isAccepted: deps.isAccepted,
    blobOf: deps.blobOf,
    slices: deps.slices,
  });
  const rounds = createApplyRounds({ ...deps, compose });
  const revert = createRevert({ client: deps.client, readPod, book, nextToken, isHeld: deps.epoch.isHeld });

  return (target, newer$) =>
    defer(() => {
      switch (target.kind) {
        case 'deliver':
          return keepPodAt(target, newer$);
        case 'revert':
          return takeBack(target, newer$);
        case 'leave':
          return EMPTY;
      }
    });

  function keepPodAt(target: DeliverBundle, newer$: Observable<void>): Observable<DeliveryReport> {
    deps.plans.set(target.bundle.plan);
    let failures = 0;
    const next = (report: DeliveryReport): Observable<DeliveryReport> => {
      if (report.kind !== 'acked') {
        if (isFinal(report)) return EMPTY;
        return pause(backoff(failures++), newer$).pipe(switchMap(() => attempt(target, 'change', newer$)));
      }
      failures = 0;
      return report.converged
        ? pause(untilDrift(), newer$).pipe(switchMap(() => attempt(target, 'drift', newer$)))
        : pause(untilReload(target.pod), newer$).pipe(switchMap(() => observe(target, newer$)));
    };
    return attempt(target, 'change', newer$).pipe(expand(next));
  }

  /** What failed is tried again as long as it may be the way to the pod that is at fault. */
  function takeBack(target: RevertPlan, newer$: Observable<void>): Observable<DeliveryReport> {
    const once = (): Observable<DeliveryReport> =>
      inSlot(target.pod, newer$, revert(target), (message) => failedRevert(target, 'timeout', message));
    const isPassing = (report: DeliveryReport): boolean =>
      report.kind === 'failed' && ['unreachable', 'timeout', 'refused'].includes(report.stage);
    return once().pipe(
      expand((report, failures) =>
        isPassing(report) ? pause(backoff(failures), newer$).pipe(switchMap(once)) : EMPTY,
      ),
    );
  }

  function attempt(
    target: DeliverBundle,
    cause: DeliveryCause,
    newer$: Observable<void>,
    knowledge?: PodKnowledge,
  ): Observable<DeliveryReport> {
    return defer(() => {
      const about = { target, cause, started: asyncScheduler.now() };
      const work$ = cause === 'drift' ? passOver(about, newer$) : rounds(target, cause, knowledge);
      return inSlot(target.pod, newer$, work$, (message) => failureOf(about, 'timeout', message));
    });
  }

  /** Looking is given up for something newer; acting on what was seen is not. */
  function passOver(about: Attempt, newer$: Observable<void>): Observable<DeliveryReport> {
    const { target, cause } = about;
    const look$ = readPod(target.pod, { verify: true }).pipe(takeUntil(newer$));
    return look$.pipe(
      switchMap((knowledge) => rounds(target, cause, knowledge)),
      catchError((error: unknown) => of(unreachable(about, error))),
    );
  }

  /** Waits for a scheduled reload to come about. Only reads, however long it takes. */
  function observe(target: DeliverBundle, newer$: Observable<void>): Observable<DeliveryReport> {
    const { pod, bundle } = target;
    const { id } = bundle.plan;
    return defer(() => {
      const about: Attempt = { target, cause: 'change', started: asyncScheduler.now() };
      const look$ = readPod(pod, { verify: false }).pipe(
        repeat({ delay: () => timer(timing.observeInterval) }),
        first(
          ({ applied_plan_id, state }) => applied_plan_id !== id || state.reload_pending_at === undefined,
        ),
        takeUntil(newer$),
      );
      return look$.pipe(
        switchMap((knowledge) => {
          if (isConverged(knowledge, id)) return of(seenOf(about, knowledge, 'reload'));
          if (knowledge.applied_plan_id === id) return attempt(target, 'change', newer$, knowledge);
          book.forget(pod);
          return of(failureOf(about, 'rejected', whyGivenUp(knowledge)));
        }),
        catchError((error: unknown) => of(unreachable(about, error))),
      );
    });
  }

  /** Work that is bounded in time, in its turn. What a pod holds after work was cut off has to be asked. */
  function inSlot(
    pod: HaproxyPod,
    newer$: Observable<void>,
    work$: Observable<DeliveryReport>,
    timedOut: (message: string) => DeliveryReport,
  ): Observable<DeliveryReport> {
    const bounded$ = defer(() => {
      let gaveUpAfter: number | undefined;
      const tooLong$ = merge(
        unlessZero(timing.syncTimeout).pipe(map(() => timing.syncTimeout)),
        unlessZero(timing.deploymentTimeout).pipe(
          switchMap(() => newer$.pipe(map(() => timing.deploymentTimeout))),
        ),
      ).pipe(tap((ms) => (gaveUpAfter = ms)));
      const onTime$ = work$.pipe(takeUntil(tooLong$));
      const late$ = defer(() => {
        if (gaveUpAfter === undefined) return EMPTY;
        book.forget(pod);
        return of(timedOut(`no answer within ${gaveUpAfter / 1000} s`));
      });
      return concat(onTime$, late$);
    });
    return deps.slots
      .run(bounded$, { isSuspect: book.isSuspect(pod) })
      .pipe(tap((report) => book.suspect(pod, isSlow(report))));
  }

  function unreachable(about: Attempt, error: unknown): DeliveryReport {
    book.forget(about.target.pod);
    return failureOf(about, 'unreachable', errorMessage(error));
  }

  function backoff(failures: number): number {
    return Math.min(timing.retry.max, timing.retry.min * 2 ** failures);
  }

  function untilReload(pod: HaproxyPod): number {
    const dueAt = book.get(pod)?.reloadDueAt;
    return dueAt === undefined ? timing.observeInterval : Math.max(0, dueAt - asyncScheduler.now());
  }

  function untilDrift(): number | undefined {
    const { driftInterval, driftSpread } = timing;
    return driftInterval === 0 ? undefined : driftInterval * (1 + driftSpread * deps.random());
  }
}

/** A limit of nothing would let no attempt come to its end: it is no limit. */
function unlessZero(ms: number): Observable<unknown> {
  return ms === 0 ? NEVER : timer(ms);
}

/** Emits once, unless something newer waits first. Without a time it only ends. */
function pause(ms: number | undefined, newer$: Observable<void>): Observable<unknown> {
  return (ms === undefined ? NEVER : timer(ms)).pipe(takeUntil(newer$));
}

/** A pod that has another leader is not ours to try again. */
function isFinal(report: DeliveryReport): boolean {
  return report.kind === 'reverted' || (report.kind === 'failed' && report.stage === 'foreign_leader');
}

function isSlow(report: DeliveryReport): boolean {
  return report.kind === 'failed' && (report.stage === 'unreachable' || report.stage === 'timeout');
}

function whyGivenUp({ state: { last_apply: last } }: PodKnowledge): string {
  return last?.ok === false ? wordsOf(last) : 'the pod does not hold any more what it was to be reloaded on';
}
