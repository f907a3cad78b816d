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
import type { ApplyContext } from './run-apply.ts';

/** What an apply came to, before it is put in the words of the wire. */
export interface ApplyOutcome {
  readonly ok: boolean;
  readonly mode: ApplyResultMode;
  readonly run?: OperationRun;
  readonly reload?: ReloadOutcome;
  readonly reason?: string;
  readonly error?: ApplyError;
  readonly rollback?: { readonly performed: boolean; readonly reloaded: boolean };
  readonly timing: ApplyResult['timing'];
}

/** The plan ids and proofs of a record. The last known good plan stays empty until a journal can restore it. */
export function planRoles(record: AgentRecord): PlanRoles {
  return {
    applied_plan_id: record.applied.id,
    applied_plan_proof: record.applied.proof,
    running_plan_id: record.running.id,
    running_plan_proof: record.running.proof,
    worker_ops_plan_id: record.workerOps.id,
    worker_ops_plan_proof: record.workerOps.proof,
    lkg_plan_id: '',
    lkg_plan_proof: '',
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
  manifest: ApplyManifest,
  outcome: ApplyOutcome,
): ApplyResult {
  const record = store.current();
  const worker = watch.current() ?? unknownWorker;
  const { reload, reason } = outcome;
  return {
    plan_id: manifest.plan_id,
    ok: outcome.ok,
    mode: outcome.mode,
    ...planRoles(record),
    applied_token: record.appliedToken,
    op_results: outcome.run?.results ?? [],
    ...(reload !== undefined && {
      reload: {
        performed: true,
        ok: reload.ok,
        worker_pid: reload.ok ? reload.worker.worker_pid : worker.worker_pid,
        took_ms: reload.tookMs,
        output: reload.output,
        ...(reason !== undefined && { reason }),
      },
    }),
    ...(outcome.rollback !== undefined && { rollback: outcome.rollback }),
    ...(outcome.error !== undefined && { error: outcome.error }),
    haproxy: worker,
    ...(reload?.ok === true && { runtime_inventory: watch.inventory() }),
    pending_deletes: deletes.pending(),
    at: new Date().toISOString(),
    timing: outcome.timing,
  };
}
