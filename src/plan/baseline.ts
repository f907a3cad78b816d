import type { Operation } from '../protocol/operation.ts';
import type { Plan } from '../protocol/plan.ts';
import type { RuntimeInventory } from '../protocol/wire.ts';
import type { Capabilities } from './capabilities.ts';

/** What a pod is known to hold and run: the state that {@link Decision} starts from. */
export interface Baseline {
  /** The plan whose files are on the pod's disk; absent when unknown, which leaves only a reload. */
  readonly applied: Plan | undefined;
  /** The plan that the worker was started on, where known and another than `applied`. */
  readonly running?: Plan;
  /** The plan that the worker's state corresponds to after the operations run since its start, where known. */
  readonly workerOps?: Plan;
  /**
   * Profiles that the worker has read, where more of them are known than its plan has: it keeps those that went since it was started. Of each, that which it read.
   */
  readonly loadedProfiles?: Plan['profiles'];
  /** What the worker has loaded, as reported by the pod. */
  readonly inventory: RuntimeInventory;
  readonly capabilities: Capabilities;
  /**
   * `backend/server` names whose removal is not finished yet. Such a name may be used again: the agent ends the removal first,
   * and reloads where it cannot.
   */
  readonly pendingServerDeletes: readonly string[];
  readonly pendingBackendDeletes: readonly string[];
  /** A reload is scheduled: the worker is not what it will be. */
  readonly reloadPending: boolean;
}

export type DecisionVerdict = 'runtime' | 'file_only' | 'reload' | 'noop';

/** The smallest safe change from a baseline to a plan. */
export interface Decision {
  readonly verdict: DecisionVerdict;
  /** Only with `runtime`: at most `limits.operationBatches` of at most `limits.operationsPerBatch`, to be run in order. */
  readonly batches: readonly (readonly Operation[])[];
  /**
   * What is safe on the running worker although it will be replaced: run while a reload is pending or paced. Only with `reload`, and at
   * most one batch.
   */
  readonly inPlace: readonly Operation[];
  /**
   * What the worker corresponds to after `inPlace`, which is not empty: another plan's id, and only for later diffs. The id is a function of the
   * worker's plan, the next plan and the operations.
   */
  readonly workerPlan?: Plan;
  /** Why it reloads: each names an object and a directive. At most `limits.reasons`; the last one says how many are left out. */
  readonly reasons: readonly string[];
  /** What is true and harmless, such as a changed file that the worker has not loaded. At most `limits.reasons` too. */
  readonly notes: readonly string[];
  readonly mode: 'auto' | 'reload';
  /** Paths whose bytes on the pod's disk differ from the plan's, new ones included, sorted. */
  readonly changedFiles: readonly string[];
  /** Paths on the pod's disk that the plan no longer has, sorted. */
  readonly removedFiles: readonly string[];
}
