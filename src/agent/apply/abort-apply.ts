import { rm } from 'node:fs/promises';
import path from 'node:path';
import {
  type AgentRecord,
  noPlan,
  type PlanRef,
  servesGood,
  withoutBaseline,
  withoutJournal,
} from '../state/agent-record.ts';
import { restoreJournal } from '../files/restore-journal.ts';
import type { JournalEntry } from '../files/journal.ts';
import type { ReloadOutcome } from '../runtime/reload-haproxy.ts';
import type { ApplyContext } from './apply-context.ts';
import { reachAccepted } from './reach-accepted.ts';
import { reloadLater } from './reload-later.ts';
import { reloadWorker } from './reload-worker.ts';
import { settleRecord } from './settle-record.ts';

export interface Rollback {
  readonly performed: boolean;
  readonly reloaded: boolean;
}

/**
 * HAProxy does not take the files on disk: the last known good ones are put back. A worker that is not on them, since operations had
 * touched it now or earlier, is reloaded on them. No baseline is claimed afterwards: the controller sends a full set next.
 *
 * @param record what is true now: `files` are those on disk, `journal` leads back from them
 * @param touched operations ran on the worker since it last matched a plan
 */
export async function abortApply(
  context: ApplyContext,
  record: AgentRecord,
  failed: ReloadOutcome & { readonly ok: false },
  touched: boolean,
): Promise<Rollback> {
  // After a refusal the former worker runs; without a verdict nobody knows which one.
  const refused = failed.verdict === 'refused';
  const strange = touched || (refused && !servesGood(record));
  const restored = await putBack(context, record, strange);
  if (!strange) {
    const served = refused ? record : { running: noPlan, workerOps: noPlan };
    await settleRecord(context, { ...restored, running: served.running, workerOps: served.workerOps });
    return { performed: true, reloaded: false };
  }
  return { performed: true, reloaded: await recoverWorker(context, restored, restored.lkg) };
}

/** Reloads the worker on the files that are on disk, which are those of `onDisk`, and puts down how it went. */
export async function recoverWorker(
  context: ApplyContext,
  record: AgentRecord,
  onDisk: PlanRef,
): Promise<boolean> {
  const reload = await reloadWorker(context);
  if (!reload.ok) {
    context.meters.invariant('recovery_reload');
    context.log.error({ output: reload.output }, 'HAProxy does not take the files that were put back');
  }
  const served = reload.ok ? onDisk : noPlan;
  const after: AgentRecord = {
    ...record,
    running: served,
    workerOps: served,
    worker: context.watch.current(),
    pendingDeletes: context.deletes.saved(),
    ...(reload.ok && { lastReloadAt: context.clock.now() }),
  };
  if (!reload.ok && reload.verdict === 'unknown') await reloadLater(context, after, 'recovery');
  else await settleRecord(context, after);
  return reload.ok;
}

/**
 * The last known good files, put back; the record of it, not yet written. The phase `aborting` is on record meanwhile, so that an
 * agent that ends here goes on backwards. Former contents that are lost leave the files as they are, with nothing known.
 */
export async function putBack(
  context: ApplyContext,
  record: AgentRecord,
  touched: boolean,
): Promise<AgentRecord> {
  const { store, held, options, area, log, clock, meters, pacer } = context;
  pacer.disarm();
  const aborting: AgentRecord = {
    ...withoutBaseline(record),
    phase: 'aborting',
    wanted: undefined,
    reloadPending: undefined,
    running: record.running,
    workerOps: touched ? noPlan : record.workerOps,
  };
  try {
    store.announce(aborting);
  } catch (error) {
    log.error({ err: error }, 'state file could not be written');
    store.assume(aborting);
  }
  const { baseDir, configFile } = options;
  const lost = await restoreJournal({ baseDir, configFile, area, held }, record.journal).catch(
    (error: unknown) => {
      log.error({ err: error }, 'the last known good files could not be put back');
      return [...record.journal.keys()];
    },
  );
  meters.rolledBack();
  // An image's configuration may have come over one that the journal does not tell of.
  const strange = lost.length > 0 ? [] : await held.check();
  if (strange.length > 0) await reachAccepted(context, strange);
  const wrong = await held.verify();
  const filesCommittedAt = clock.now() * 1000;
  if (lost.length > 0 || wrong.length > 0) {
    log.error({ lost, wrong }, 'the last known good files are not whole');
    return { ...withoutJournal(aborting), files: held.all(), filesCommittedAt };
  }
  await context.configCopy.refresh();
  dropLinks(context, record.journal);
  return { ...aborting, journal: new Map(), files: held.all(), filesCommittedAt };
}

/** Removes links that the record does not name any more; nobody waits for it, and the next start removes what is left. */
export function dropLinks({ options, log }: ApplyContext, journal: ReadonlyMap<string, JournalEntry>): void {
  for (const entry of journal.values()) {
    if (entry.kind === 'created') continue;
    rm(path.join(options.baseDir, entry.link), { force: true }).catch((error: unknown) =>
      log.warn({ err: error }, 'a link to a former file could not be removed'),
    );
  }
}
