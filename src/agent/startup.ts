import type { HaproxyIdentity } from '../protocol/wire.ts';
import type { ApplyContext } from './apply/run-apply.ts';
import { pause } from './pause.ts';
import type { DeleteTarget } from './runtime/command.ts';
import { cliRequest } from './runtime/cli-request.ts';
import { reloadHaproxy } from './runtime/reload-haproxy.ts';
import { readWorkerIdentity, sameWorker } from './runtime/worker-identity.ts';
import { type AgentRecord, withoutBaseline } from './state/agent-record.ts';

const tickMs = 200;
const probeTimeoutMs = 2_000;

/**
 * What happens before the agent is ready: both sockets answer, the owned files are hashed against the record, and the record
 * is made to say what is true. An interrupted apply or a file that differs ends in a reload of what is on disk, with no baseline.
 * Waits for HAProxy as long as `signal` lets it: false when the signal ended it before.
 */
export async function restart(context: ApplyContext, signal: AbortSignal): Promise<boolean> {
  const { store, held, area, log } = context;
  await area
    .clear()
    .catch((error: unknown) => log.warn({ err: error }, 'staging folders could not be emptied'));
  const worker = await waitForHaproxy(context, signal);
  if (worker === undefined) return false;
  const interrupted = store.current().phase === 'applying';
  const wrong = await held.verify();
  if (!interrupted && wrong.length === 0) {
    await adoptWorker(context, worker);
    return true;
  }
  log.warn(
    { interrupted, files: wrong },
    'files on disk are not those of a finished apply: reloading what is there',
  );
  const reload = await reloadHaproxy({
    masterSocket: context.options.masterSocket,
    workerSocket: context.options.workerSocket,
    former: worker,
    timeoutMs: context.options.reloadTimeoutMs,
  });
  if (!reload.ok) log.error({ output: reload.output }, 'HAProxy does not take the files on disk');
  const running = reload.ok ? reload.worker : worker;
  await context.watch.adopt(running);
  await remember(context, {
    ...withoutBaseline(store.current()),
    worker: running,
    pendingDeletes: none,
    files: held.all(),
  });
  return true;
}

const none = { servers: [], backends: [] };

/**
 * Makes a worker the current one. The known one keeps its runtime state. A new one was started on the files: it runs the applied
 * plan if it began after they were put there and they are still the same; else nothing is known about it.
 */
export async function adoptWorker(context: ApplyContext, worker: HaproxyIdentity): Promise<void> {
  const { store, held, watch, deletes, log } = context;
  const record = store.current();
  await watch.adopt(worker);
  if (record.worker !== undefined && sameWorker(record.worker, worker)) {
    await deletes.add(worker, targetsOf(record.pendingDeletes));
    return;
  }
  deletes.reset();
  const fresh = worker.worker_start_time_unix_micros > record.filesCommittedAt;
  const intact = (await held.verify()).length === 0;
  const known = record.applied.id !== '' && fresh && intact;
  if (record.worker !== undefined)
    log.warn({ pid: worker.worker_pid, known }, 'another HAProxy worker answers');
  const base: AgentRecord = known
    ? { ...record, running: record.applied, workerOps: record.applied }
    : withoutBaseline(record);
  await remember(context, { ...base, worker, pendingDeletes: none, files: held.all() });
}

async function remember({ store, log }: ApplyContext, record: AgentRecord): Promise<void> {
  try {
    await store.commit({ ...record, phase: 'committed' });
  } catch (error) {
    log.error({ err: error }, 'state file could not be written');
    store.assume(record);
  }
}

function targetsOf(pending: AgentRecord['pendingDeletes']): DeleteTarget[] {
  return [
    ...pending.servers.map((name): DeleteTarget => {
      const [backend = '', server = ''] = name.split('/');
      return { kind: 'server', backend, server };
    }),
    ...pending.backends.map((backend): DeleteTarget => ({ kind: 'backend', backend })),
  ];
}

async function waitForHaproxy(
  { options, log }: ApplyContext,
  signal: AbortSignal,
): Promise<HaproxyIdentity | undefined> {
  for (let attempt = 0; attempt === 0 || (await pause(tickMs, signal)); attempt++) {
    try {
      await cliRequest(options.masterSocket, 'show proc', { timeoutMs: probeTimeoutMs, halfClose: true });
      return await readWorkerIdentity(options.workerSocket, probeTimeoutMs);
    } catch (error) {
      if (attempt === 0) log.info({ err: error }, 'waiting for HAProxy');
    }
  }
  return undefined;
}
