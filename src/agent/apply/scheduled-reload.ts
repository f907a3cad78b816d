import type { ApplyResult } from '../../protocol/wire.ts';
import { type AgentRecord, noPlan, planOnDisk, samePlanRef } from '../state/agent-record.ts';
import { abortApply, dropLinks } from './abort-apply.ts';
import type { ApplyContext } from './apply-context.ts';
import { type ApplyOutcome, applyResult } from './apply-result.ts';
import { applyTiming } from './apply-timing.ts';
import { earliestReload } from './reload-pacer.ts';
import { reloadLater } from './reload-later.ts';
import { reloadWorker } from './reload-worker.ts';
import { settleRecord } from './settle-record.ts';

/**
 * The pending reload is due: the worker gets the newest files. HAProxy's refusal ends as that of an apply does, only later: the last
 * known good files are put back and `last_apply` tells. Undefined when nothing is pending. The caller holds the apply lock.
 */
export async function runScheduledReload(context: ApplyContext): Promise<ApplyResult | undefined> {
  const { store, watch, clock, log } = context;
  const record = store.current();
  const pending = record.reloadPending;
  if (pending === undefined || pending.at > clock.now()) return undefined;
  context.pacer.disarm();
  const began = performance.now();
  const inventoryBefore = watch.inventory().generation;
  const reason = pending.reason === undefined ? {} : { reason: pending.reason };
  const result = (outcome: Pick<ApplyOutcome, 'ok' | 'mode' | 'reload' | 'error' | 'rollback'>) => {
    const total = performance.now() - began;
    const timing = applyTiming({ ops: total, total });
    return applyResult(
      context,
      { plan_id: record.applied.id },
      { ...outcome, ...reason, inventoryBefore, timing },
    );
  };
  const reload = await reloadWorker(context);
  // Files that HAProxy has loaded before: there is nothing to go back to, and it is only late.
  if (!reload.ok && reload.verdict === 'unknown' && record.journal.size === 0) {
    await reloadLater(context, { ...record, running: noPlan }, pending.reason ?? 'recovery');
    log.warn({ error: reload.output }, 'scheduled reload is tried again');
    return undefined;
  }
  if (!reload.ok) {
    const touched = !samePlanRef(record.workerOps, record.running);
    const rollback = await abortApply(context, record, reload, touched);
    const error = { stage: 'reload', message: reload.output };
    const told = result({ ok: false, mode: 'rejected', reload, error, rollback });
    await settleRecord(context, { ...store.current(), lastApply: told });
    log.warn({ plan: record.applied.id, error: reload.output }, 'scheduled reload refused');
    return told;
  }
  const plan = planOnDisk(record);
  const next: AgentRecord = {
    ...record,
    running: plan,
    workerOps: plan,
    lkg: plan,
    journal: new Map(),
    reloadPending: undefined,
    lastReloadAt: clock.now(),
    worker: watch.current(),
    pendingDeletes: context.deletes.saved(),
  };
  await settleRecord(context, next);
  dropLinks(context, record.journal);
  const told = result({ ok: true, mode: 'reload', reload });
  log.info({ plan: plan.id, ms: reload.tookMs, reason: pending.reason }, 'scheduled reload done');
  return told;
}

/**
 * The worker is not what the files say: it is reloaded on them as soon as pacing allows. Until then no operation may run on it. A reload
 * that is pending already does as well.
 */
export async function scheduleReload(
  context: ApplyContext,
  record: AgentRecord,
  reason: string,
): Promise<void> {
  const now = context.clock.now();
  const at = earliestReload(now, record.lastReloadAt, context.options.reloadIntervalMs);
  const pending = record.reloadPending ?? { at, reason };
  // One that waits for a HAProxy that gave no answer need not wait for the one that is here now.
  const reloadPending = { ...pending, at: Math.min(pending.at, at) };
  await settleRecord(context, { ...record, workerOps: noPlan, reloadPending });
  context.pacer.arm(reloadPending.at);
}
