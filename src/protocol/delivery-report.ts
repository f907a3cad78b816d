import type { HaproxyPod } from './pod.ts';
import type { ApplyResult, ApplyResultMode } from './wire.ts';

/** How one attempt to bring one pod to one plan ended. */
export type DeliveryReport = DeliveryAcked | DeliveryFailed;

export interface DeliveryAcked {
  readonly kind: 'acked';
  readonly pod: HaproxyPod;
  readonly planId: string;
  /** Revision of the bundle that was delivered. */
  readonly revision: number;
  /** `noop`: the pod held and ran the plan already. */
  readonly mode: ApplyResultMode;
  /** Why it took a reload; empty otherwise. */
  readonly reasons: readonly string[];
  readonly operations: number;
  readonly tookMs: number;
  readonly timing?: ApplyResult['timing'];
  /** Proof of the pod's applied role: what a plan blob for it is stored under. */
  readonly appliedProof: string;
  /** The pod has the plan's blob already. */
  readonly isPlanStored: boolean;
  /** HAProxy was reloaded by this apply. */
  readonly reloaded: boolean;
}

export interface DeliveryFailed {
  readonly kind: 'failed';
  readonly pod: HaproxyPod;
  readonly planId: string;
  readonly revision: number;
  /** `unreachable`, `conflict`, `refused`, `rejected` (HAProxy or the agent said no after it was taken in). */
  readonly stage: 'unreachable' | 'conflict' | 'refused' | 'rejected';
  /** The agent's or HAProxy's own words. */
  readonly message: string;
  readonly tookMs: number;
}
