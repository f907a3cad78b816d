import type { Bundle } from './bundle.ts';
import type { HaproxyPod } from './pod.ts';

/** What is wanted of one pod. */
export type DeliveryTarget = DeliverBundle | RevertPlan | LeavePod;

export interface DeliverBundle {
  readonly kind: 'deliver';
  readonly pod: HaproxyPod;
  /** Of the term in which it is wanted: another term wants it anew. */
  readonly epoch: number;
  readonly bundle: Bundle;
}

/**
 * HAProxy refuses a plan that was let out, and no accepted one is known: a pod that holds it goes back to its own last known good
 * plan; any other pod is left alone.
 */
export interface RevertPlan {
  readonly kind: 'revert';
  readonly pod: HaproxyPod;
  readonly epoch: number;
  /** The refused plan. */
  readonly planId: string;
}

/** Nothing: somebody else writes to it. What is under way comes to its end, and nothing new begins. */
export interface LeavePod {
  readonly kind: 'leave';
  readonly pod: HaproxyPod;
}
