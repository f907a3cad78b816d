import type { ApplyContext } from './apply/apply-context.ts';
import { reachAccepted } from './apply/reach-accepted.ts';
import { scheduleReload } from './apply/scheduled-reload.ts';
import { settleRecord } from './apply/settle-record.ts';
import { restoreJournal } from './files/restore-journal.ts';
import { limits } from '../protocol/limits.ts';
import {
  type AgentRecord,
  noPlan,
  planOnDisk,
  withoutBaseline,
  withoutJournal,
} from './state/agent-record.ts';

/**
 * Compares the owned files with the record. What differs is put back from what the agent still has: memory, the second copy
 * of the configuration, links to former files. So a configuration that the container's image copied over the accepted one
 * (a restart of HAProxy's container does that) does not stay. Where only the last known good files are left, those. Where not even
 * they are, nothing is known, and the next full apply repairs it. The caller holds the apply lock.
 */
export async function recoverAccepted(context: ApplyContext): Promise<void> {
  const { store, held, log, meters, clock, pacer } = context;
  const wrong = await held.check();
  if (wrong.length === 0) return;
  const files = wrong.slice(0, limits.reasons);
  const record = store.current();
  const filesCommittedAt = clock.now() * 1000;
  if (planOnDisk(record).id !== '' && (await reachAccepted(context, wrong))) {
    log.warn({ files }, 'files on disk were not the accepted ones: put back');
    await settleRecord(context, { ...record, filesCommittedAt });
    return;
  }
  if (record.lkg.id !== '' && (await putBackGood(context, record, wrong))) {
    log.warn({ files }, 'files on disk were not the accepted ones: the last known good ones are back');
    const back: AgentRecord = { ...record, applied: record.lkg, running: noPlan };
    const good: AgentRecord = { ...back, journal: new Map(), files: held.all(), filesCommittedAt };
    await scheduleReload(context, good, 'recovery');
    return;
  }
  log.error({ files }, 'files on disk are not the applied ones');
  meters.invariant('disk_is_the_desired_set');
  held.distrust(wrong);
  pacer.disarm();
  const unknown = withoutJournal(withoutBaseline(record));
  await settleRecord(context, { ...unknown, reloadPending: undefined, files: held.all() });
}

/** Only where every wrong file is one that changed since: all others are those of the last known good set already. */
async function putBackGood(
  { held, area, options, log }: ApplyContext,
  { journal }: AgentRecord,
  wrong: readonly string[],
): Promise<boolean> {
  if (!wrong.every((file) => journal.has(file))) return false;
  const { baseDir, configFile } = options;
  try {
    const lost = await restoreJournal({ baseDir, configFile, area, held }, journal);
    return lost.length === 0 && (await held.check()).length === 0;
  } catch (error) {
    log.error({ err: error }, 'files could not be put back');
    return false;
  }
}
