import { type AgentRecord, withoutBaseline } from '../state/agent-record.ts';
import type { ApplyContext } from './apply-context.ts';

/**
 * Puts down what is true after something went wrong. A disk that takes nothing must not hide the answer: what the record on disk says
 * of an apply under way then stays, which the next start sorts out, and this process goes on without a baseline.
 *
 * @param untouched neither files nor worker were: the next start will find the same, so that the baseline holds in any case
 */
export async function settleRecord(
  { store, log }: ApplyContext,
  record: AgentRecord,
  { untouched = false }: { readonly untouched?: boolean } = {},
): Promise<void> {
  const settled: AgentRecord = {
    ...record,
    phase: record.reloadPending === undefined ? 'committed' : 'scheduled',
    wanted: undefined,
  };
  try {
    await store.commit(settled);
  } catch (error) {
    log.error({ err: error }, 'state file could not be written');
    store.assume(untouched ? settled : withoutBaseline(settled));
  }
}
