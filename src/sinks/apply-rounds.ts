import { EMPTY, type Observable, asyncScheduler, catchError, defer, map, of, switchMap } from 'rxjs';
import { errorMessage } from '../lib/error-message.ts';
import type { AgentClient, ApplyAnswer } from '../fleet/agent-client.ts';
import type { DeliveryCause, DeliveryReport } from '../protocol/delivery-report.ts';
import type { DeliverBundle } from '../protocol/delivery-target.ts';
import type { LeaderEpoch } from '../protocol/leader-epoch.ts';
import type { Plan } from '../protocol/plan.ts';
import type { HaproxyPod } from '../protocol/pod.ts';
import type { ApplyConflict } from '../protocol/wire.ts';
import type { Composed, ComposeInput } from './compose-apply.ts';
import { ackOf, failureOf, seenOf, wordsOf } from './delivery-words.ts';
import type { PlanCache } from './plan-cache.ts';
import type { PodBook } from './pod-book.ts';
import { knowledgeAfter, type PodKnowledge } from './pod-knowledge.ts';

export interface ApplyRoundsDeps {
  readonly client: Pick<AgentClient, 'apply'>;
  readonly compose: (input: ComposeInput) => Observable<Composed>;
  readonly readPod: (pod: HaproxyPod, options: { readonly verify: boolean }) => Observable<PodKnowledge>;
  readonly book: Pick<PodBook, 'get' | 'remember' | 'forget' | 'sending'>;
  readonly plans: Pick<PlanCache, 'set'>;
  readonly epoch: LeaderEpoch;
}

/** Applies of one attempt: as composed, composed anew after a conflict, and once more. */
const maxRounds = 3;

interface Round {
  readonly target: DeliverBundle;
  readonly cause: DeliveryCause;
  readonly started: number;
  readonly number: number;
  readonly full: boolean;
  readonly resend: ReadonlySet<string>;
}

/**
 * One attempt to bring one pod to one bundle: emits one report and completes, never errors. Completes without a report where the
 * term is over before something could be sent.
 *
 * A pod whose last answer is known gets the apply at once, without being asked first; `knowledge` may be handed in where it was
 * just asked. What is believed of the pod is forgotten before an apply leaves: only its answer is believed again, so that an
 * attempt that is cut off anywhere leads to the question what the pod holds, never to a second apply on a guess.
 *
 * Answers: `prev_mismatch` and `worker_ops_mismatch` read the state again and compose anew; `unknown_baseline`, and `prev_mismatch` for
 * the second time, send the complete state for a reload; missing files are sent; `stale_epoch` asks the epoch whether the
 * counter had regressed or another leader is at work.
 */
export function createApplyRounds(
  deps: ApplyRoundsDeps,
): (target: DeliverBundle, cause: DeliveryCause, knowledge?: PodKnowledge) => Observable<DeliveryReport> {
  return (target, cause, knowledge) =>
    defer(() => {
      const first = { target, cause, started: asyncScheduler.now(), number: 1, full: false, resend: none };
      return round(first, knowledge ?? usable(deps.book.get(target.pod), deps.epoch.current()));
    });

  function round(context: Round, knowledge: PodKnowledge | undefined): Observable<DeliveryReport> {
    const { pod } = context.target;
    const knowledge$ = knowledge === undefined ? deps.readPod(pod, { verify: true }) : of(knowledge);
    return knowledge$.pipe(
      switchMap((known) => applyTo(context, known)),
      catchError((error: unknown) => {
        deps.book.forget(pod);
        return of(failureOf(context, 'unreachable', errorMessage(error)));
      }),
    );
  }

  function applyTo(context: Round, knowledge: PodKnowledge): Observable<DeliveryReport> {
    const { target, full, resend, cause } = context;
    const { plan } = target.bundle;
    if (!deps.epoch.isHeld()) return EMPTY;
    if (isWaitingForReload(knowledge, plan)) return of(seenOf(context, knowledge, 'scheduled'));
    return deps
      .compose({ plan, knowledge, full, resend, cause })
      .pipe(switchMap((composed) => send(context, knowledge, composed)));
  }

  function send(context: Round, knowledge: PodKnowledge, composed: Composed): Observable<DeliveryReport> {
    const { target } = context;
    const { plan } = target.bundle;
    // Composing may have taken pauses.
    if (!deps.epoch.isHeld()) return EMPTY;
    if (composed.request === undefined) {
      deps.book.remember(target.pod, knowledge);
      return of(seenOf(context, knowledge, 'noop', composed.drifted));
    }
    if (isOnOldNews(composed, knowledge))
      return deps.readPod(target.pod, { verify: false }).pipe(switchMap((known) => applyTo(context, known)));
    const { workerPlan } = composed.decision;
    const sent = workerPlan === undefined ? [plan] : [plan, workerPlan];
    for (const one of sent) deps.plans.set(one);
    deps.book.sending(
      target.pod,
      sent.map(({ id }) => id),
    );
    return deps.client
      .apply(target.pod, composed.request, deps.epoch.isHeld)
      .pipe(switchMap((answer) => onAnswer(context, knowledge, composed, answer)));
  }

  function onAnswer(
    context: Round,
    knowledge: PodKnowledge,
    composed: Composed,
    answer: ApplyAnswer,
  ): Observable<DeliveryReport> {
    const { target, number } = context;
    switch (answer.kind) {
      case 'result': {
        const { result } = answer;
        if (!result.ok) return of(failureOf(context, 'rejected', wordsOf(result), composed.skew));
        const now = asyncScheduler.now();
        deps.book.remember(target.pod, knowledgeAfter(knowledge, target.bundle.plan, result, now));
        return of(ackOf(context, composed, result));
      }
      case 'refused':
        return of(
          failureOf(context, 'refused', `${answer.error.stage}: ${answer.error.message}`, composed.skew),
        );
      case 'missing':
        return number === maxRounds
          ? of(failureOf(context, 'conflict', `missing files: ${answer.paths.join(', ')}`))
          : round({ ...context, number: number + 1, resend: new Set(answer.paths) }, knowledge);
      case 'conflict':
        return onConflict(context, answer.conflict);
    }
  }

  function onConflict(context: Round, conflict: ApplyConflict): Observable<DeliveryReport> {
    const { reason } = conflict;
    if (reason === 'stale_epoch') return onStaleEpoch(context, conflict);
    const number = context.number + 1;
    if (number > maxRounds) return of(failureOf(context, 'conflict', reason));
    const isLast = number === maxRounds;
    const full = context.full || reason === 'unknown_baseline' || (isLast && reason === 'prev_mismatch');
    return round({ ...context, number, full }, undefined);
  }

  function onStaleEpoch(context: Round, conflict: ApplyConflict): Observable<DeliveryReport> {
    const floor = conflict.applied_token.leader_epoch;
    return deps.epoch
      .reclaim(floor)
      .pipe(
        map((outcome) =>
          outcome === 'reclaimed'
            ? failureOf(context, 'conflict', `stale_epoch: the pod has seen epoch ${floor}, claimed anew`)
            : failureOf(context, 'foreign_leader', `the pod has a leader of epoch ${floor}`),
        ),
      );
  }
}

const none: ReadonlySet<string> = new Set();

/**
 * A reload that was due by now may have changed everything that is known of the worker; and of a pod that was not written to in this
 * term, another leader knows better.
 */
function usable(knowledge: PodKnowledge | undefined, epoch: number): PodKnowledge | undefined {
  if (knowledge?.state.applied_token.leader_epoch !== epoch) return undefined;
  const dueAt = knowledge.reloadDueAt;
  return dueAt === undefined || asyncScheduler.now() < dueAt ? knowledge : undefined;
}

/**
 * A reload because of what an earlier answer said, with deletions that may be done by now: they are soon, and whoever waits for a reload can
 * wait for the question whether it is needed.
 */
function isOnOldNews({ decision }: Composed, { state, isFresh }: PodKnowledge): boolean {
  const { servers, backends } = state.pending_deletes;
  return decision.verdict === 'reload' && !isFresh && servers.length + backends.length > 0;
}

/** The pod holds the plan and its reload is to come: there is nothing to send, and nothing to worry about. */
function isWaitingForReload({ applied_plan_id, state }: PodKnowledge, plan: Plan): boolean {
  return applied_plan_id === plan.id && state.reload_pending_at !== undefined;
}
