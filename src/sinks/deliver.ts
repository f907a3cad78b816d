import {
  type Observable,
  EMPTY,
  asyncScheduler,
  catchError,
  defer,
  expand,
  map,
  of,
  switchMap,
  takeUntil,
  timer,
} from 'rxjs';
import { LRUCache } from 'lru-cache';
import type { AgentClient, ApplyAnswer } from '../fleet/agent-client.ts';
import { buildApply } from '../plan/build-apply.ts';
import { diff } from '../plan/diff.ts';
import type { Baseline, Decision } from '../plan/baseline.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { Plan } from '../protocol/plan.ts';
import type { HaproxyPod } from '../protocol/pod.ts';
import type { ApplyResult, ApplyToken } from '../protocol/wire.ts';
import type { DeliveryFailed, DeliveryReport } from '../protocol/delivery-report.ts';
import {
  baselineOf,
  driftedFiles,
  knowledgeAfter,
  knowledgeFromState,
  type PodKnowledge,
} from './pod-knowledge.ts';

/** One pod and what it should run. */
export interface DeliveryTarget {
  readonly pod: HaproxyPod;
  readonly bundle: Bundle;
  /** Grows with every drift pass: the pod is then asked what it holds, whatever is believed of it. */
  readonly sweep: number;
}

export interface DeliverDeps {
  readonly client: Pick<AgentClient, 'state' | 'apply'>;
  /** The fencing token of the next apply. */
  readonly nextToken: () => ApplyToken;
  /** Plans that pods may still be on, by id: bounded by its owner. */
  readonly plans: { get(id: string): Plan | undefined; set(id: string, plan: Plan): unknown };
  /** Resolves the plan blob that a pod stores; undefined when it is none of ours. */
  readonly decodePlan: (blob: Uint8Array) => Promise<Plan | undefined>;
  /** Milliseconds before a failed delivery is tried again: doubles from `min` to `max`. */
  readonly retry: { readonly min: number; readonly max: number };
}

/** More pods than a fleet has; what is forgotten costs one state read. */
const maxKnownPods = 1024;
/** Applies of one attempt: as composed, re-composed after a conflict, and once more with the complete state. */
const maxRounds = 3;

interface Known {
  readonly identity: string;
  readonly sweep: number;
  readonly knowledge: PodKnowledge;
}

/**
 * Brings pods to bundles. Returns the delivery of one target for `perKeyLatest`: it emits a report per attempt and completes
 * with the first success; failed attempts are repeated with growing delays until one succeeds or a newer target waits.
 *
 * Hot path: a pod whose last answer is known gets the apply at once, without asking first. A conflict re-reads its state
 * and composes anew. Expected failures are reports; nothing here errors.
 */
export function createDelivery(
  deps: DeliverDeps,
): (target: DeliveryTarget, newer$: Observable<void>) => Observable<DeliveryReport> {
  const known = new LRUCache<string, Known>({ max: maxKnownPods });

  return (target, newer$) => {
    deps.plans.set(target.bundle.plan.id, target.bundle.plan);
    const attempt = () => deliverOnce(target);
    return attempt().pipe(
      expand((report, failures) =>
        report.kind === 'acked'
          ? EMPTY
          : timer(Math.min(deps.retry.max, deps.retry.min * 2 ** failures)).pipe(
              switchMap(attempt),
              takeUntil(newer$),
            ),
      ),
    );
  };

  function deliverOnce(target: DeliveryTarget): Observable<DeliveryReport> {
    return defer(() => {
      const started = asyncScheduler.now();
      const former = known.get(target.pod.key);
      const usable = former?.identity === identityOf(target.pod) && former.sweep === target.sweep;
      return round({ target, started, number: 1, resend: new Set() }, usable ? former.knowledge : undefined);
    });
  }

  function round(context: RoundContext, knowledge: PodKnowledge | undefined): Observable<DeliveryReport> {
    const knowledge$ = knowledge === undefined ? readState(context.target) : of(knowledge);
    return knowledge$.pipe(
      switchMap((pod) => applyTo(context, pod)),
      catchError((error: unknown) => {
        forget(context.target.pod);
        return of(failed(context, 'unreachable', error instanceof Error ? error.message : String(error)));
      }),
    );
  }

  function readState(target: DeliveryTarget): Observable<PodKnowledge> {
    return deps.client.state(target.pod, { verify: true }).pipe(
      switchMap((state) => {
        const isKnown = [state.applied_plan_id, state.worker_ops_plan_id].every(
          (id) => id === '' || deps.plans.get(id) !== undefined,
        );
        if (isKnown || !state.applied_plan_stored) return of(state);
        return deps.client.state(target.pod, { plan: true }).pipe(switchMap(learnPlan));
      }),
      map(knowledgeFromState),
    );
  }

  /** Takes the plan from the pod's own copy: what makes a restart of the controller cost no reload. */
  async function learnPlan<S extends { readonly applied_plan?: string }>(state: S): Promise<S> {
    if (state.applied_plan !== undefined) {
      const plan = await deps.decodePlan(Buffer.from(state.applied_plan, 'base64'));
      if (plan !== undefined) deps.plans.set(plan.id, plan);
    }
    return state;
  }

  function applyTo(context: RoundContext, knowledge: PodKnowledge): Observable<DeliveryReport> {
    const { target, number, resend } = context;
    const { plan } = target.bundle;
    const baseline = baselineOf(knowledge, (id) => deps.plans.get(id));
    const isLast = number === maxRounds;
    const decision = decide(plan, knowledge, isLast ? { ...baseline, applied: undefined } : baseline);
    if (decision.verdict === 'noop') {
      remember(target, knowledge);
      return of(
        acked(context, decision, {
          mode: 'noop',
          proof: knowledge.applied_plan_proof,
          isStored: knowledge.state.applied_plan_stored,
        }),
      );
    }
    const request = buildApply({
      plan,
      decision,
      roles: knowledge,
      appliedToken: knowledge.state.applied_token,
      token: deps.nextToken(),
      held: (path) => (resend.has(path) ? undefined : knowledge.held(path)),
      ...(isLast || baseline.applied === undefined ? {} : { heldPlan: baseline.applied }),
      features: knowledge.state.features,
    });
    return deps.client
      .apply(target.pod, request)
      .pipe(switchMap((answer) => onAnswer(context, knowledge, decision, answer)));
  }

  function onAnswer(
    context: RoundContext,
    knowledge: PodKnowledge,
    decision: Decision,
    answer: ApplyAnswer,
  ): Observable<DeliveryReport> {
    const { target, number } = context;
    switch (answer.kind) {
      case 'result':
        if (answer.result.ok) {
          remember(target, knowledgeAfter(knowledge, target.bundle.plan, answer.result));
          {
            const { mode, applied_plan_proof: proof } = answer.result;
            return of(acked(context, decision, { mode, proof, isStored: false }, answer.result));
          }
        }
        forget(target.pod);
        return of(failed(context, 'rejected', wordsOf(answer.result)));
      case 'refused':
        forget(target.pod);
        return of(failed(context, 'refused', `${answer.error.stage}: ${answer.error.message}`));
      case 'missing':
        if (number === maxRounds)
          return of(failed(context, 'conflict', `missing files: ${answer.paths.join(', ')}`));
        return round({ ...context, number: number + 1, resend: new Set(answer.paths) }, knowledge);
      case 'conflict':
        forget(target.pod);
        if (number === maxRounds || answer.conflict.reason === 'stale_epoch') {
          return of(failed(context, 'conflict', answer.conflict.reason));
        }
        return round({ ...context, number: number + 1 }, undefined);
    }
  }

  function remember(target: DeliveryTarget, knowledge: PodKnowledge): void {
    known.set(target.pod.key, { identity: identityOf(target.pod), sweep: target.sweep, knowledge });
  }

  function forget(pod: HaproxyPod): void {
    known.delete(pod.key);
  }
}

interface RoundContext {
  readonly target: DeliveryTarget;
  /** Milliseconds on the scheduler's clock. */
  readonly started: number;
  readonly number: number;
  /** Paths whose whole bytes the pod asked for. */
  readonly resend: ReadonlySet<string>;
}

/** Another uid or container under the same name is another data plane. */
const identityOf = (pod: HaproxyPod): string => `${pod.uid}/${pod.containerId}/${pod.address}`;

/** A pod that was just asked and holds other bytes than its plan says gets them again, though its worker needs nothing. */
function decide(plan: Plan, knowledge: PodKnowledge, baseline: Baseline): Decision {
  const decision = diff(plan, baseline);
  if (decision.verdict !== 'noop' || !knowledge.isFresh) return decision;
  const changedFiles = driftedFiles(knowledge, plan);
  return changedFiles.length === 0 ? decision : { ...decision, verdict: 'file_only', changedFiles };
}

interface AckedAs {
  readonly mode: ApplyResult['mode'];
  readonly proof: string;
  readonly isStored: boolean;
}

function acked(context: RoundContext, decision: Decision, as: AckedAs, result?: ApplyResult): DeliveryReport {
  const { pod, bundle } = context.target;
  const fallback = result?.reload?.reason;
  return {
    kind: 'acked',
    pod,
    planId: bundle.plan.id,
    revision: bundle.revision,
    mode: as.mode,
    reasons: fallback === undefined ? decision.reasons : [...decision.reasons, fallback],
    operations: result?.op_results.length ?? 0,
    tookMs: asyncScheduler.now() - context.started,
    ...(result === undefined ? {} : { timing: result.timing }),
    appliedProof: as.proof,
    isPlanStored: as.isStored,
    reloaded: result?.reload?.performed ?? false,
  };
}

function failed(context: RoundContext, stage: DeliveryFailed['stage'], message: string): DeliveryReport {
  const { pod, bundle } = context.target;
  const tookMs = asyncScheduler.now() - context.started;
  return { kind: 'failed', pod, planId: bundle.plan.id, revision: bundle.revision, stage, message, tookMs };
}

/** The agent's error, and HAProxy's own words where there are any. */
function wordsOf(result: ApplyResult): string {
  const refused = result.op_results.filter((op) => !op.ok).map((op) => `${op.kind}: ${op.output}`);
  const parts = [
    result.error === undefined ? '' : `${result.error.stage}: ${result.error.message}`,
    result.reload?.output ?? '',
    ...refused,
  ];
  return parts.filter((part) => part !== '').join('\n');
}
