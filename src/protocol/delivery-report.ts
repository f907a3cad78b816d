import type { HaproxyPod } from './pod.ts';
import type { ApplyResult, ApplyResultMode } from './wire.ts';

/** How one attempt to bring one pod to one plan ended, or what was seen of a reload that had been scheduled. */
export type DeliveryReport = DeliveryAcked | DeliveryFailed | PodReverted;

export interface DeliveryAcked {
  readonly kind: 'acked';
  readonly pod: HaproxyPod;
  readonly planId: string;
  /** Revision of the bundle that was delivered. */
  readonly revision: number;
  /** `noop`: the pod held and ran the plan already. `scheduled`: it holds it, and runs it after a reload that is to come. */
  readonly mode: ApplyResultMode;
  /** The pod holds the plan and its worker runs it. With `scheduled` it is neither converged nor failed. */
  readonly converged: boolean;
  /** Nothing was sent: the pod's own state tells it. */
  readonly observed: boolean;
  /** `drift`: a pass over a pod that got nothing for a while. */
  readonly cause: DeliveryCause;
  /** Files that somebody else had changed or removed; at most `limits.reasons`. */
  readonly drifted: readonly string[];
  /** Why it took a reload; empty otherwise. */
  readonly reasons: readonly string[];
  /** How many operations were run. */
  readonly operations: number;
  /** The same by kind of operation. */
  readonly operationKinds: Readonly<Record<string, number>>;
  readonly tookMs: number;
  readonly timing?: ApplyResult['timing'];
  /** Proof of the pod's applied role: what a plan blob for it is stored under. */
  readonly appliedProof: string;
  /** The pod has the plan's blob already. */
  readonly isPlanStored: boolean;
  /** HAProxy was reloaded, by this apply or as scheduled. */
  readonly reloaded: boolean;
  /** Why operations ended in a reload. */
  readonly fallback?: RuntimeFallback;
  /** The agent is of another release: why it gets the complete state and a reload. */
  readonly skew?: string;
  readonly haproxyVersion: string;
}

export type DeliveryCause = 'change' | 'drift';

export type RuntimeFallback =
  'name_collision' | 'op_rejected' | 'unknown_op' | 'worker_changed' | 'pending_delete' | 'other';

export interface DeliveryFailed {
  readonly kind: 'failed';
  readonly pod: HaproxyPod;
  readonly planId: string;
  readonly revision: number;
  readonly stage: FailedStage;
  /** The agent's or HAProxy's own words. */
  readonly message: string;
  readonly tookMs: number;
  readonly skew?: string;
}

/**
 * - `unreachable`: no answer, or none that can be understood.
 * - `timeout`: no answer in time; whether the pod has taken it is not known.
 * - `conflict`: it holds something else each time it is asked.
 * - `foreign_leader`: it has a newer leader; nothing more is sent to it.
 * - `refused`: the agent could not take the request in.
 * - `rejected`: HAProxy or the agent said no after it was taken in.
 */
export type FailedStage = 'unreachable' | 'timeout' | 'conflict' | 'foreign_leader' | 'refused' | 'rejected';

/** A pod went back to its last known good plan, since HAProxy refuses `planId`. */
export interface PodReverted {
  readonly kind: 'reverted';
  readonly pod: HaproxyPod;
  /** The refused plan. */
  readonly planId: string;
  /** What the pod holds and runs now. */
  readonly lkgPlanId: string;
  readonly tookMs: number;
}
