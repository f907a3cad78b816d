import type { ApplyManifest } from '../../protocol/wire.ts';
import { type AgentRecord, noPlan, type PlanRef } from '../state/agent-record.ts';
import { putBack } from './abort-apply.ts';
import { type ApplyAnswer, refusal } from './apply-answer.ts';
import type { ApplyClock, ApplyContext } from './apply-context.ts';
import { type ApplyOutcome, applyResult } from './apply-result.ts';
import { applyTiming } from './apply-timing.ts';
import { reloadLater } from './reload-later.ts';
import { reloadWorker } from './reload-worker.ts';
import { settleRecord } from './settle-record.ts';

/**
 * The controller's gate refused the plan that is applied here: the last known good files are put back and HAProxy is reloaded on them, at
 * once, whatever pacing says. A pending reload is thereby done. The plan that was good is applied and running then, and the next
 * apply may build on it.
 */
export async function revertApply(
  context: ApplyContext,
  manifest: ApplyManifest,
  clock: ApplyClock,
): Promise<ApplyAnswer> {
  const { store, watch, log } = context;
  const before = store.current();
  const inventoryBefore = watch.inventory().generation;
  const started = performance.now();
  const answer = (outcome: Omit<ApplyOutcome, 'timing' | 'inventoryBefore'>): ApplyAnswer => {
    const now = performance.now();
    const timing = applyTiming({ admit: clock.admitMs, ops: now - started, total: now - clock.began });
    return { status: 200, body: applyResult(context, manifest, { ...outcome, inventoryBefore, timing }) };
  };
  if (before.lkg.id === '' && before.journal.size === 0) {
    const message = 'this pod knows no earlier good set';
    return answer({ ok: false, mode: 'rejected', error: { stage: 'revert', message } });
  }
  const counted: AgentRecord = { ...before, proofCounter: before.proofCounter + 1 };
  const restored = await putBack(context, counted, true);
  const whole = restored.journal.size === 0 && (restored.lkg.id !== '' || before.lkg.id === '');
  if (!whole) {
    await settleRecord(context, restored);
    return refusal('write', 'the last known good files could not be put back');
  }
  const reload = await reloadWorker(context);
  if (!reload.ok) {
    if (reload.verdict === 'refused')
      await settleRecord(context, { ...restored, running: before.running, workerOps: noPlan });
    else await reloadLater(context, { ...restored, running: noPlan }, 'recovery');
    log.error({ output: reload.output }, 'HAProxy does not take the last known good files');
    const error = { stage: 'reload', message: reload.output };
    const rollback = { performed: true, reloaded: false };
    return answer({ ok: false, mode: 'rejected', reload, error, rollback });
  }
  const plan: PlanRef =
    before.lkg.id === '' ? noPlan : { id: before.lkg.id, proof: `a:${String(counted.proofCounter)}` };
  await settleRecord(context, {
    ...restored,
    generation: before.generation + 1,
    appliedToken: manifest.token,
    applied: plan,
    running: plan,
    workerOps: plan,
    lkg: plan,
    lastReloadAt: context.clock.now(),
    worker: watch.current(),
    pendingDeletes: context.deletes.saved(),
    lastApply: undefined,
  });
  context.meters.generation(before.generation + 1);
  return answer({ ok: true, mode: 'reload', reload, rollback: { performed: true, reloaded: true } });
}
