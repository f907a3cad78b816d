import { getEntry } from '../../lib/ordered-map.ts';
import type { DeploymentIntent } from '../../protocol/deployment-intent.ts';
import type { RejectedPod } from '../../protocol/fleet.ts';
import type { Plan } from '../../protocol/plan.ts';
import type { HaproxyPod } from '../../protocol/pod.ts';
import type { RetainedConfig } from '../../protocol/retained-config.ts';
import type { AgentState } from '../../protocol/wire.ts';

/** The fleet as it was just seen. */
export interface FleetSight {
  readonly pods: readonly PodSight[];
  readonly rejected: readonly RejectedPod[];
}

export interface PodSight {
  readonly pod: HaproxyPod;
  /** Undefined: it does not answer. */
  readonly standing?: PodStanding;
}

/**
 * How a pod stands to a render: `new`, it never got anything; `same`, it holds and runs just that, file for file; `other`, it does not, and
 * in what.
 */
export type PodStanding =
  { readonly kind: 'new' | 'same' } | { readonly kind: 'other'; readonly difference: string };

/**
 * Why no pod gets a retained render:
 * - `NoIntent`: it is not written down what went out last.
 * - `NothingRetained`: of that, nothing is retained.
 * - `CheckpointUnreadable`: it is not there as it was written.
 * - `PodUnreachable`: of a pod that may serve it is not known what it holds.
 * - `PodDiffers`: a pod holds or runs something else.
 * - `RefusedByHAProxy`, `CheckFailed`: this controller's HAProxy says no to it, or could not be asked.
 * - `ApplyFailed`: a new pod did not take it.
 * - `ClusterUnreadable`: the API does not tell what is to be known for this.
 */
export type UnavailableReason =
  | 'NoIntent'
  | 'NothingRetained'
  | 'CheckpointUnreadable'
  | 'PodUnreachable'
  | 'PodDiffers'
  | 'RefusedByHAProxy'
  | 'CheckFailed'
  | 'ApplyFailed'
  | 'ClusterUnreadable';

export interface Unavailable {
  readonly kind: 'unavailable';
  readonly reason: UnavailableReason;
  readonly message: string;
}

export type RetainedChoice = { readonly kind: 'chosen'; readonly config: RetainedConfig } | Unavailable;

export type RetainedDecision =
  /** Every pod that was ever configured holds and runs it; `pods` never were: they may get it. */
  { readonly kind: 'serve'; readonly pods: readonly HaproxyPod[]; readonly configured: number } | Unavailable;

export function unavailable(reason: UnavailableReason, message: string): Unavailable {
  return { kind: 'unavailable', reason, message };
}

/** Of what is retained, only what went out last may go out again. */
export function chooseRetained(
  intent: DeploymentIntent | undefined,
  retained: readonly RetainedConfig[],
): RetainedChoice {
  if (intent === undefined)
    return unavailable('NoIntent', 'the Lease does not tell what went out to HAProxy pods last');
  const config = retained.find(
    ({ planID, checksum }) => planID === intent.planId && checksum === intent.checksum,
  );
  return config === undefined
    ? unavailable('NothingRetained', `of render ${intent.planId}, which went out last, nothing is retained`)
    : { kind: 'chosen', config };
}

/**
 * Who gets a retained render: pods that never had anything, and only if all others hold and run just that. A pod of which that is not
 * known speaks against it, unless it cannot serve: it has no address yet, or no agent and so never got anything.
 */
export function decideRetained({ pods, rejected }: FleetSight): RetainedDecision {
  const hidden = rejected.find(
    ({ reason }) => reason === 'agent_not_running' || reason === 'agent_not_answering',
  );
  if (hidden !== undefined)
    return unavailable('PodUnreachable', `what pod ${hidden.key} holds is not known: ${hidden.reason}`);
  const waiting: HaproxyPod[] = [];
  let configured = 0;
  for (const { pod, standing } of pods) {
    if (standing === undefined)
      return unavailable('PodUnreachable', `pod ${pod.key} does not tell what it holds`);
    if (standing.kind === 'other') return unavailable('PodDiffers', `pod ${pod.key} ${standing.difference}`);
    if (standing.kind === 'new') waiting.push(pod);
    else configured += 1;
  }
  return { kind: 'serve', pods: waiting, configured };
}

/** O(files of the plan): one pod at a time, so that a large fleet does not hold the thread. */
export function podStanding(plan: Plan, state: AgentState): PodStanding {
  if (isBootstrap(state)) return { kind: 'new' };
  const difference = differenceTo(plan, state);
  return difference === undefined ? { kind: 'same' } : { kind: 'other', difference };
}

/** It never got anything: it runs what it was started with. */
export function isBootstrap(state: AgentState): boolean {
  const { leader_epoch: epoch, render_seq: sequence } = state.applied_token;
  return (
    state.applied_plan_id === '' &&
    state.running_plan_id === '' &&
    state.worker_ops_plan_id === '' &&
    state.lkg_plan_id === '' &&
    !state.applied_plan_stored &&
    state.applied_plan === undefined &&
    state.former_plan === undefined &&
    state.reload_pending_at === undefined &&
    state.invariant_violation === undefined &&
    epoch === 0 &&
    sequence === 0
  );
}

/** In what a pod is otherwise than the plan says; undefined: in nothing. */
function differenceTo(plan: Plan, state: AgentState): string | undefined {
  if (state.invariant_violation !== undefined)
    return `has found itself in a state that must not be: ${state.invariant_violation}`;
  if (state.reload_pending_at !== undefined) return 'waits for a reload';
  for (const [what, id] of [
    ['holds', state.applied_plan_id],
    ['runs', state.running_plan_id],
    ['was brought to', state.worker_ops_plan_id],
  ] as const)
    if (id !== plan.id) return `${what} ${id === '' ? 'something unknown' : `render ${id}`}`;
  const paths = Object.keys(state.files);
  for (const path of paths) {
    const [file, held] = [getEntry(plan.files, path), state.files[path]];
    if (file === undefined || file.digest !== held?.digest || file.size !== held.size)
      return `holds another ${path} than that render has`;
  }
  return paths.length === plan.files.size ? undefined : 'lacks files of that render';
}
