import { asyncScheduler } from 'rxjs';
import type {
  DeliveryAcked,
  DeliveryCause,
  DeliveryFailed,
  FailedStage,
  RuntimeFallback,
} from '../protocol/delivery-report.ts';
import type { DeliverBundle } from '../protocol/delivery-target.ts';
import type { ApplyResult, ApplyResultMode } from '../protocol/wire.ts';
import type { Composed } from './compose-apply.ts';
import { isConverged, type PodKnowledge } from './pod-knowledge.ts';

/** One attempt, as far as its report needs to know. */
export interface Attempt {
  readonly target: DeliverBundle;
  readonly cause: DeliveryCause;
  /** Milliseconds on the scheduler's clock. */
  readonly started: number;
}

/** The report of a pod that took an apply. */
export function ackOf(attempt: Attempt, composed: Composed, result: ApplyResult): DeliveryAcked {
  const { plan } = attempt.target.bundle;
  const fallback = result.reload?.reason;
  const { reasons } = composed.decision;
  return {
    ...commonOf(attempt),
    kind: 'acked',
    mode: result.mode,
    converged: result.mode !== 'scheduled' && isConverged(result, plan.id),
    observed: false,
    drifted: composed.drifted,
    reasons: fallback === undefined ? reasons : [...reasons, fallback],
    operations: result.op_results.length,
    operationKinds: countKinds(result.op_results),
    timing: result.timing,
    appliedProof: result.applied_plan_proof,
    isPlanStored: composed.request?.plan !== undefined,
    reloaded: result.reload?.performed ?? false,
    ...(fallback === undefined ? {} : { fallback: fallbackOf(fallback) }),
    ...(composed.skew === undefined ? {} : { skew: composed.skew }),
    haproxyVersion: result.haproxy.full_version,
  };
}

/** The report of a pod that has the plan by its own account: nothing was sent. */
export function seenOf(
  attempt: Attempt,
  knowledge: PodKnowledge,
  mode: ApplyResultMode,
  drifted: readonly string[] = [],
): DeliveryAcked {
  return {
    ...commonOf(attempt),
    kind: 'acked',
    mode,
    converged: mode !== 'scheduled' && isConverged(knowledge, attempt.target.bundle.plan.id),
    observed: true,
    drifted,
    reasons: [],
    operations: 0,
    operationKinds: {},
    appliedProof: knowledge.applied_plan_proof,
    isPlanStored: knowledge.state.applied_plan_stored,
    reloaded: mode === 'reload',
    haproxyVersion: knowledge.state.haproxy.full_version,
  };
}

export function failureOf(
  attempt: Attempt,
  stage: FailedStage,
  message: string,
  skew?: string,
): DeliveryFailed {
  const { cause: _cause, ...common } = commonOf(attempt);
  return { ...common, kind: 'failed', stage, message, ...(skew === undefined ? {} : { skew }) };
}

/** The agent's error, and HAProxy's own words where there are any. */
export function wordsOf(result: ApplyResult): string {
  const refused = result.op_results.filter((op) => !op.ok).map((op) => `${op.kind}: ${op.output}`);
  const error = result.error === undefined ? '' : `${result.error.stage}: ${result.error.message}`;
  const output = result.reload?.output ?? '';
  const parts = [error, error.includes(output) ? '' : output, ...refused];
  return parts.filter((part) => part !== '').join('\n');
}

function commonOf({ target: { pod, bundle }, cause, started }: Attempt) {
  const tookMs = asyncScheduler.now() - started;
  return { pod, planId: bundle.plan.id, revision: bundle.revision, cause, tookMs };
}

function countKinds(results: ApplyResult['op_results']): Readonly<Record<string, number>> {
  const kinds: Record<string, number> = {};
  for (const { kind } of results) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return kinds;
}

const fallbacks: readonly RuntimeFallback[] = [
  'name_collision',
  'op_rejected',
  'unknown_op',
  'worker_changed',
  'pending_delete',
];

function fallbackOf(reason: string): RuntimeFallback {
  return fallbacks.find((name) => reason.startsWith(name)) ?? 'other';
}
