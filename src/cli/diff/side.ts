import type { Problem } from '../../lib/problem.ts';
import type { Baseline } from '../../plan/baseline.ts';
import { capabilitiesOf } from '../../plan/capabilities.ts';
import { inventoryOf } from '../../plan/inventory-of.ts';
import { executableKinds } from '../../agent/runtime/executable-kinds.ts';
import type { Plan } from '../../protocol/plan.ts';

/** One side of a comparison. */
export interface Side {
  /** As the user would name it. */
  readonly name: string;
  /** `namespace/name`, where it is a pod. */
  readonly pod?: string;
  /** The validation test whose objects it was rendered of. */
  readonly test?: string;
  /** Absent: a pod does not keep a plan of what it holds. */
  readonly plan?: Plan;
  /** What a change would start from here. */
  readonly baseline: Baseline;
  /** Besides the plan: the pod runs something else than it holds, and no reload waits. */
  readonly isTorn: boolean;
  /** Files that are not as the pod's plan has them. */
  readonly drifted: readonly string[];
  /** What is wrong with single objects. */
  readonly problems: readonly Problem[];
}

/** A render, taken for what a pod of a HAProxy version holds and runs, with every file loaded. */
export function renderedSide(
  facts: { readonly name: string; readonly test?: string; readonly problems: readonly Problem[] },
  plan: Plan,
  haproxyVersion: string,
): Side {
  const capabilities = capabilitiesOf({ version: haproxyVersion }, executableKinds(haproxyVersion));
  return {
    ...facts,
    plan,
    isTorn: false,
    drifted: [],
    baseline: {
      applied: plan,
      inventory: inventoryOf(plan),
      capabilities,
      pendingServerDeletes: [],
      pendingBackendDeletes: [],
      reloadPending: false,
    },
  };
}
