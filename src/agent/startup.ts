import type { HaproxyIdentity } from '../protocol/wire.ts';
import type { ApplyContext } from './apply/apply-context.ts';
import type { ApplyLock } from './apply-lock.ts';
import { dropLinks } from './apply/abort-apply.ts';
import { runScheduledReload, scheduleReload } from './apply/scheduled-reload.ts';
import { settleRecord } from './apply/settle-record.ts';
import { createAbsence } from './haproxy-absence.ts';
import { pause } from './pause.ts';
import { recoverAccepted } from './recover-accepted.ts';
import { recoverFiles } from './recover-files.ts';
import { cliRequest } from './runtime/cli-request.ts';
import { readWorkerIdentity, sameWorker } from './runtime/worker-identity.ts';
import { type AgentRecord, noPlan, planOnDisk, withoutBaseline } from './state/agent-record.ts';

const tickMs = 200;
const probeTimeoutMs = 2_000;

/**
 * What happens before the agent is ready: an interrupted apply is brought to one whole set of files, both sockets answer, the owned
 * files are those of the record or put back, and the worker is on them. Waits for HAProxy as long as `signal` lets it: false when the
 * signal ended it before. May be called again after a failure. Takes the apply lock by `exclusive` for all but the waiting.
 */
export async function restart(
  context: ApplyContext,
  signal: AbortSignal,
  exclusive: ApplyLock,
): Promise<boolean> {
  const { store, area, log, clock, pacer } = context;
  await exclusive(() => recoverFiles(context));
  const worker = await waitForHaproxy(context, signal, exclusive);
  if (worker === undefined) return false;
  await exclusive(async () => {
    await adoptWorker(context, worker);
    const pending = store.current().reloadPending;
    if (pending !== undefined && pending.at <= clock.now()) await runScheduledReload(context);
    else if (pending !== undefined) pacer.arm(pending.at);
    await context.configCopy.refresh();
    await tidy().catch((error: unknown) =>
      log.warn({ err: error }, 'the agent’s folders could not be emptied'),
    );
  });
  return true;

  async function tidy(): Promise<void> {
    await area.clear();
    const entries = [...store.current().journal.values()];
    const links = entries.flatMap((entry) => (entry.kind === 'created' ? [] : [entry.link]));
    await area.clearJournal(new Set(links));
  }
}

/**
 * Makes a worker the current one. The known one keeps its runtime state. A new one was started on the files: it runs the applied
 * plan if it began after they were put there and they are still the same; else it is reloaded on them, unless nothing is known
 * of the files either. The caller holds the apply lock.
 */
export async function adoptWorker(context: ApplyContext, worker: HaproxyIdentity): Promise<void> {
  const { store, watch, deletes, log, pacer } = context;
  await watch.adopt(worker);
  await recoverAccepted(context);
  const record = store.current();
  if (record.worker !== undefined && sameWorker(record.worker, worker)) {
    await deletes.restore(worker, record.pendingDeletes);
    return;
  }
  deletes.reset();
  const plan = planOnDisk(record);
  const known = plan.id !== '';
  const fresh = worker.worker_start_time_unix_micros > record.filesCommittedAt;
  if (record.worker !== undefined)
    log.warn({ pid: worker.worker_pid, known, fresh }, 'another HAProxy worker answers');
  const adopted: AgentRecord = { ...record, worker, pendingDeletes: [] };
  if (!known) return settleRecord(context, { ...withoutBaseline(adopted), worker });
  if (!fresh) return scheduleReload(context, { ...adopted, running: noPlan }, 'worker_changed');
  pacer.disarm();
  const loaded: AgentRecord = { ...adopted, running: plan, workerOps: plan, lkg: plan };
  await settleRecord(context, { ...loaded, journal: new Map(), reloadPending: undefined });
  dropLinks(context, record.journal);
}

async function waitForHaproxy(
  context: ApplyContext,
  signal: AbortSignal,
  exclusive: ApplyLock,
): Promise<HaproxyIdentity | undefined> {
  const { options } = context;
  const absence = createAbsence(context);
  for (let attempt = 0; attempt === 0 || (await pause(tickMs, signal)); attempt++) {
    try {
      await cliRequest(options.masterSocket, 'show proc', {
        timeoutMs: probeTimeoutMs,
        deadlineMs: probeTimeoutMs,
        halfClose: true,
      });
      return await readWorkerIdentity(options.workerSocket, probeTimeoutMs);
    } catch (error) {
      await exclusive(() => absence.silent(error));
    }
  }
  return undefined;
}
