import type { ApplyManifest, ApplyToken } from '../protocol/wire.ts';
import type { PodKnowledge } from './pod-knowledge.ts';

/** What a pod must be on for an apply to be let in: its applied plan, its last token, and what its worker was brought to. */
export function applyFence(
  { state, ...roles }: PodKnowledge,
  token: ApplyToken,
): Pick<
  ApplyManifest,
  | 'token'
  | 'expected_prev_plan_id'
  | 'expected_prev_plan_proof'
  | 'expected_prev_token'
  | 'expected_worker_ops_plan_id'
  | 'expected_worker_ops_plan_proof'
> {
  return {
    token,
    expected_prev_plan_id: roles.applied_plan_id,
    expected_prev_plan_proof: roles.applied_plan_proof,
    expected_prev_token: state.applied_token,
    expected_worker_ops_plan_id: roles.worker_ops_plan_id,
    expected_worker_ops_plan_proof: roles.worker_ops_plan_proof,
  };
}
