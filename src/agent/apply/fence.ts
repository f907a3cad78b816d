import type { ApplyManifest, ApplyToken, ConflictReason } from '../../protocol/wire.ts';
import { type AgentRecord, samePlanRef } from '../state/agent-record.ts';

/**
 * Why an apply must not touch this pod: its author is not the leader any more, or thinks that the pod holds something else
 * than it does. Undefined: it may. Checked under the apply lock and before anything is written.
 *
 * @param inPlace its in-place operations would run, so they must have been composed for the worker as it is
 */
export function fence(
  manifest: ApplyManifest,
  record: AgentRecord,
  inPlace = false,
): ConflictReason | undefined {
  if (manifest.token.leader_epoch < record.appliedToken.leader_epoch) return 'stale_epoch';
  if (manifest.mode === 'revert_lkg')
    return isRevertible(manifest, record) ? undefined : 'revert_target_mismatch';
  const { applied } = record;
  const mismatch = applied.id === '' ? 'unknown_baseline' : 'prev_mismatch';
  if (manifest.expected_prev_plan_id !== applied.id) return mismatch;
  if (manifest.expected_prev_plan_proof !== applied.proof) return mismatch;
  // Changes to files of no plan are no file set.
  if (manifest.removed_files !== undefined && applied.id === '') return 'unknown_baseline';
  const expectedToken = manifest.expected_prev_token;
  if (expectedToken !== undefined && !sameToken(expectedToken, record.appliedToken)) return 'prev_mismatch';
  if (manifest.mode !== 'auto' && !inPlace) return undefined;
  if (manifest.mode === 'auto' && applied.id === '') return 'unknown_baseline';
  const expectedWorkerOps = {
    id: manifest.expected_worker_ops_plan_id,
    proof: manifest.expected_worker_ops_plan_proof,
  };
  return samePlanRef(expectedWorkerOps, record.workerOps) ? undefined : 'worker_ops_mismatch';
}

/**
 * The plan to leave must be the one on disk or on the worker. One that HAProxy itself has loaded, or a gate passed, is the last known
 * good one: there is nothing to leave it for.
 */
function isRevertible(manifest: ApplyManifest, { applied, workerOps, lkg }: AgentRecord): boolean {
  const refused = { id: manifest.plan_id, proof: manifest.plan_proof ?? '' };
  const isHere = samePlanRef(refused, applied) || samePlanRef(refused, workerOps);
  return isHere && !samePlanRef(refused, lkg);
}

function sameToken(a: ApplyToken, b: ApplyToken): boolean {
  return a.leader_epoch === b.leader_epoch && a.render_seq === b.render_seq;
}
