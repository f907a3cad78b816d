import { capabilitiesOf } from '../plan/capabilities.ts';
import { getEntry, valuesOf } from '../lib/ordered-map.ts';
import type { Baseline } from '../plan/baseline.ts';
import type { HeldFile } from '../plan/build-apply.ts';
import { limits } from '../protocol/limits.ts';
import type { Plan } from '../protocol/plan.ts';
import type { AgentState, ApplyResult, PlanRoles } from '../protocol/wire.ts';

/**
 * What the last answer of a pod said it holds and runs. Good until the next answer; the agent's fence makes acting on it
 * safe, since an apply composed against anything else is refused with 409.
 */
export interface PodKnowledge extends PlanRoles {
  readonly state: AgentState;
  readonly held: (path: string) => HeldFile | undefined;
  /** `state` is the pod's own answer, not what an acknowledgement implies. */
  readonly isFresh: boolean;
  /** The plan whose files the pod holds, byte for byte, as an acknowledgement says; absent where only `held` tells. */
  readonly heldPlanId?: string;
  /** The earliest plan that its worker, and no worker before it, is known to have been on: whatever profiles that plan has, the worker has read. */
  readonly loadedBy?: Pick<Plan, 'id' | 'profiles'>;
  /** When a scheduled reload is due, on the controller's clock: after that the pod has to be asked again. */
  readonly reloadDueAt?: number;
}

/** @param now milliseconds of the controller's clock */
export function knowledgeFromState(state: AgentState, now: number): PodKnowledge {
  const dueAt = state.reload_pending_at;
  return {
    ...rolesOf(state),
    state,
    held: (path) => state.files[path],
    isFresh: true,
    ...(dueAt === undefined ? {} : { reloadDueAt: localTime(dueAt, undefined, now) }),
  };
}

/** After an accepted apply of `plan`: roles, worker and inventory as the pod acknowledged them, files as the plan has them. */
export function knowledgeAfter(
  known: PodKnowledge,
  plan: Plan,
  result: ApplyResult,
  now: number,
): PodKnowledge {
  const { reload_pending_at: _reloadPending, last_apply: _lastApply, ...before } = known.state;
  const dueAt = result.reload?.scheduled_at;
  return {
    ...rolesOf(result),
    isFresh: false,
    heldPlanId: plan.id,
    ...(dueAt === undefined ? {} : { reloadDueAt: localTime(dueAt, result.at, now) }),
    held: (path) => heldAs(plan, path),
    state: {
      ...before,
      ...rolesOf(result),
      haproxy: result.haproxy,
      applied_token: result.applied_token,
      runtime_inventory: result.runtime_inventory ?? known.state.runtime_inventory,
      pending_deletes: result.pending_deletes ?? known.state.pending_deletes,
      applied_plan_stored: false,
      ...(dueAt === undefined ? {} : { reload_pending_at: dueAt }),
    },
  };
}

/** The pod holds `planId` and its worker runs it. */
export function isConverged(roles: PlanRoles, planId: string): boolean {
  return roles.applied_plan_id === planId && roles.running_plan_id === planId;
}

/** A time of the pod's clock on the controller's: clocks differ, so the pod's own idea of now is better where it is told. */
function localTime(time: string, podNow: string | undefined, now: number): number {
  const at = Date.parse(time);
  const reference = podNow === undefined ? now : Date.parse(podNow);
  const ahead = Number.isNaN(at) || Number.isNaN(reference) ? 0 : at - reference;
  return now + Math.min(Math.max(ahead, 0), limits.reloadIntervalMs);
}

/**
 * Where a diff starts from. `planOf` resolves a plan id to the plan, where it is still known. Both what is on the pod's
 * disk and what its worker was brought to must be known; otherwise there is no baseline, and the diff answers reload.
 */
export function baselineOf(
  { state, applied_plan_id, worker_ops_plan_id, loadedBy }: PodKnowledge,
  planOf: (id: string) => Plan | undefined,
): Baseline {
  const applied = planOf(applied_plan_id);
  const workerOps = planOf(worker_ops_plan_id);
  return {
    applied: workerOps === undefined ? undefined : applied,
    ...(workerOps === undefined ? {} : { workerOps }),
    ...(loadedBy && { loadedProfiles: loadedBy.profiles }),
    inventory: state.runtime_inventory,
    capabilities: capabilitiesOf(state.haproxy, state.agent_ops),
    pendingServerDeletes: state.pending_deletes.servers,
    pendingBackendDeletes: state.pending_deletes.backends,
    reloadPending: state.reload_pending_at !== undefined,
  };
}

/** Whether the pod says that it holds the files of a plan, these bytes and no others. */
export function holdsFilesOf({ files }: Plan, { files: held }: Pick<AgentState, 'files'>): boolean {
  const paths = Object.keys(held);
  return (
    paths.length === files.size &&
    paths.every((path) => {
      const [wanted, found] = [getEntry(files, path), held[path]];
      return (
        wanted !== undefined &&
        found?.digest === wanted.digest &&
        found.size === wanted.size &&
        found.proof === wanted.digest
      );
    })
  );
}

/** Paths of the plan whose bytes on the pod's disk are others: somebody wrote to them behind the agent's back. */
export function driftedFiles({ held }: PodKnowledge, plan: Plan): readonly string[] {
  return [...valuesOf(plan.files)]
    .filter((file) => held(file.path)?.digest !== file.digest)
    .map((file) => file.path);
}

function heldAs(plan: Plan, path: string): HeldFile | undefined {
  const file = getEntry(plan.files, path);
  return file === undefined ? undefined : { digest: file.digest, size: file.size, proof: file.digest };
}

function rolesOf(roles: PlanRoles): PlanRoles {
  return {
    applied_plan_id: roles.applied_plan_id,
    applied_plan_proof: roles.applied_plan_proof,
    running_plan_id: roles.running_plan_id,
    running_plan_proof: roles.running_plan_proof,
    worker_ops_plan_id: roles.worker_ops_plan_id,
    worker_ops_plan_proof: roles.worker_ops_plan_proof,
    lkg_plan_id: roles.lkg_plan_id,
    lkg_plan_proof: roles.lkg_plan_proof,
  };
}
