import type {
  ApplyError,
  ApplyManifest,
  ApplyResult,
  ApplyResultMode,
  PlanRoles,
} from '../../protocol/wire.ts';
import type { ReloadOutcome } from '../runtime/reload-haproxy.ts';
import type { OperationRun } from '../runtime/run-operations.ts';
import type { AgentRecord } from '../state/agent-record.ts';
import type { ApplyContext } from './apply-context.ts';

/** What an apply came to, before it is put in the words of the wire. */
export interface ApplyOutcome {
  readonly ok: boolean;
  readonly mode: ApplyResultMode;
  readonly run?: OperationRun;
  readonly reload?: ReloadOutcome;
  /** When a reload that was put off is due, milliseconds of the Unix clock. */
  readonly at?: number;
  readonly reason?: string;
  readonly error?: ApplyError;
  readonly rollback?: { readonly performed: boolean; readonly reloaded: boolean };
  /** Generation of the inventory when the apply began: it is told only when it grew. */
  readonly inventoryBefore: number;
  readonly timing: ApplyResult['timing'];
}

/** The plan ids and proofs of a record. */
export function planRoles(record: AgentRecord): PlanRoles {
  return {
    applied_plan_id: record.applied.id,
    applied_plan_proof: record.applied.proof,
    running_plan_id: record.running.id,
    running_plan_proof: record.running.proof,
    worker_ops_plan_id: record.workerOps.id,
    worker_ops_plan_proof: record.workerOps.proof,
    lkg_plan_id: record.lkg.id,
    lkg_plan_proof: record.lkg.proof,
  };
}

/** The identity of a HAProxy that never answered. */
export const unknownWorker = {
  version: '',
  full_version: '',
  worker_pid: 0,
  worker_start_time_unix_micros: 0,
} as const;

export function applyResult(
  { store, watch, deletes }: Pick<ApplyContext, 'store' | 'watch' | 'deletes'>,
  manifest: Pick<ApplyManifest, 'plan_id'>,
  outcome: ApplyOutcome,
): ApplyResult {
  const record = store.current();
  const worker = watch.current() ?? unknownWorker;
  const inventory = watch.inventory();
  const reload = reloadOf(outcome, worker.worker_pid);
  return {
    plan_id: manifest.plan_id,
    ok: outcome.ok,
    mode: outcome.mode,
    ...planRoles(record),
    applied_token: record.appliedToken,
    op_results: outcome.run?.results ?? [],
    ...(reload !== undefined && { reload }),
    ...(outcome.rollback !== undefined && { rollback: outcome.rollback }),
    ...(outcome.error !== undefined && { error: outcome.error }),
    haproxy: worker,
    ...(inventory.generation !== outcome.inventoryBefore && { runtime_inventory: inventory }),
    pending_deletes: deletes.pending(),
    at: new Date().toISOString(),
    timing: outcome.timing,
  };
}

function reloadOf({ reload, at, reason }: ApplyOutcome, workerPid: number): ApplyResult['reload'] {
  const because = reason === undefined ? {} : { reason };
  if (reload !== undefined)
    return {
      performed: true,
      ok: reload.ok,
      worker_pid: reload.ok ? reload.worker.worker_pid : workerPid,
      took_ms: reload.tookMs,
      output: reload.output,
      ...because,
    };
  if (at === undefined) return undefined;
  return {
    performed: false,
    ok: true,
    worker_pid: workerPid,
    took_ms: 0,
    output: '',
    scheduled_at: new Date(at).toISOString(),
    ...because,
  };
}
