import { EMPTY, type Observable, asyncScheduler, catchError, defer, of, switchMap } from 'rxjs';
import { errorMessage } from '../lib/error-message.ts';
import type { AgentClient, ApplyAnswer } from '../fleet/agent-client.ts';
import type { ApplyRequest } from '../protocol/apply-request.ts';
import type { DeliveryFailed, DeliveryReport, FailedStage } from '../protocol/delivery-report.ts';
import type { RevertPlan } from '../protocol/delivery-target.ts';
import { planSchemaVersion } from '../protocol/plan.ts';
import type { HaproxyPod } from '../protocol/pod.ts';
import { identityVersion, type ApplyToken } from '../protocol/wire.ts';
import { applyFence } from './apply-fence.ts';
import { wordsOf } from './delivery-words.ts';
import type { PodBook } from './pod-book.ts';
import type { PodKnowledge } from './pod-knowledge.ts';

export interface RevertPodDeps {
  readonly client: Pick<AgentClient, 'apply'>;
  readonly readPod: (pod: HaproxyPod, options: { readonly verify: boolean }) => Observable<PodKnowledge>;
  readonly book: Pick<PodBook, 'get' | 'forget'>;
  readonly nextToken: () => ApplyToken;
  /** See {@link LeaderEpoch.isHeld}. */
  readonly isHeld: () => boolean;
}

/**
 * Has a pod go back to its last known good plan, if it holds the refused one or its worker was brought to it. A pod whose last known
 * good plan *is* the refused one stays: its own HAProxy has loaded that, and there is nothing to go back to.
 *
 * Emits a report and completes, or just completes where there was nothing to do; never errors. Afterwards nothing is believed of
 * the pod. A conflict is no failure of this kind: the pod has moved on, so its state is read and looked at once more.
 */
export function createRevert(deps: RevertPodDeps): (target: RevertPlan) => Observable<DeliveryReport> {
  return (target) =>
    defer(() => attempt({ target, started: asyncScheduler.now(), isLast: false }, deps.book.get(target.pod)));

  function attempt(context: Context, known: PodKnowledge | undefined): Observable<DeliveryReport> {
    const { pod, planId } = context.target;
    const knowledge$ = known === undefined ? deps.readPod(pod, { verify: false }) : of(known);
    return knowledge$.pipe(
      switchMap((knowledge) => {
        const proof = refusedProof(knowledge, planId);
        if (proof === undefined || !deps.isHeld()) return EMPTY;
        deps.book.forget(pod);
        return deps.client
          .apply(pod, requestFor(knowledge, planId, proof, deps.nextToken()), deps.isHeld)
          .pipe(switchMap((answer) => onAnswer(context, answer)));
      }),
      catchError((error: unknown) => {
        deps.book.forget(pod);
        return of(failed(context, 'unreachable', errorMessage(error)));
      }),
    );
  }

  function onAnswer(context: Context, answer: ApplyAnswer): Observable<DeliveryReport> {
    const { pod, planId } = context.target;
    switch (answer.kind) {
      case 'result': {
        const { result } = answer;
        if (!result.ok) return of(failed(context, 'rejected', wordsOf(result)));
        const tookMs = asyncScheduler.now() - context.started;
        return of({ kind: 'reverted', pod, planId, lkgPlanId: result.applied_plan_id, tookMs });
      }
      case 'refused':
        return of(failed(context, 'refused', `${answer.error.stage}: ${answer.error.message}`));
      case 'missing':
        return of(failed(context, 'conflict', 'the pod asks for files of what it should have itself'));
      case 'conflict': {
        const { reason } = answer.conflict;
        if (reason === 'revert_target_mismatch') return EMPTY;
        if (reason === 'stale_epoch')
          return of(failed(context, 'foreign_leader', 'the pod has a leader of a newer epoch'));
        return context.isLast
          ? of(failed(context, 'conflict', reason))
          : attempt({ ...context, isLast: true }, undefined);
      }
    }
  }
}

interface Context {
  readonly target: RevertPlan;
  readonly started: number;
  readonly isLast: boolean;
}

/** Proof of the role in which the pod is on the plan; undefined: in none that can be taken back. */
function refusedProof(knowledge: PodKnowledge, planId: string): string | undefined {
  if (knowledge.lkg_plan_id === planId) return undefined;
  if (knowledge.applied_plan_id === planId) return knowledge.applied_plan_proof;
  return knowledge.worker_ops_plan_id === planId ? knowledge.worker_ops_plan_proof : undefined;
}

function requestFor(knowledge: PodKnowledge, planId: string, proof: string, token: ApplyToken): ApplyRequest {
  return {
    manifest: {
      identity_version: identityVersion,
      plan_id: planId,
      plan_proof: proof,
      plan_schema_version: planSchemaVersion,
      ...applyFence(knowledge, token),
      files: [],
      ops: [],
      mode: 'revert_lkg',
    },
    parts: [],
  };
}

function failed({ target, started }: Context, stage: FailedStage, message: string): DeliveryFailed {
  return failedRevert(target, stage, message, asyncScheduler.now() - started);
}

export function failedRevert(
  { pod, planId }: RevertPlan,
  stage: FailedStage,
  message: string,
  tookMs = 0,
): DeliveryFailed {
  return { kind: 'failed', pod, planId, revision: 0, stage, message, tookMs };
}
