import { type AgentRecord, noPlan } from '../state/agent-record.ts';
import type { ApplyContext } from './apply-context.ts';
import { settleRecord } from './settle-record.ts';

const laterMs = 5_000;

/**
 * HAProxy gave no verdict on the files on disk: the record, and that they are put to it again in 5 s. A worker that is found to have
 * started on them until then makes that needless.
 */
export async function reloadLater(context: ApplyContext, record: AgentRecord, reason: string): Promise<void> {
  const reloadPending = { at: context.clock.now() + laterMs, reason };
  await settleRecord(context, { ...record, workerOps: noPlan, reloadPending });
  context.pacer.arm(reloadPending.at);
}
