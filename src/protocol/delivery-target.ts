import type { Bundle } from './bundle.ts';
import type { HaproxyPod } from './pod.ts';

/** What is wanted of one pod. */
export type DeliveryTarget = DeliverBundle | RevertPlan;

export interface DeliverBundle {
  readonly kind: 'deliver';
  readonly pod: HaproxyPod;
  readonly bundle: Bundle;
}

/**
 * HAProxy refuses a plan that was let out, and no accepted one is known: a pod that holds it goes back to its own last known good
 * plan; any other pod is left alone.
 */
export interface RevertPlan {
  readonly kind: 'revert';
  readonly pod: HaproxyPod;
  /** The refused plan. */
  readonly planId: string;
}
