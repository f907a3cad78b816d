import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '../../lib/coded-error.ts';
import { limits } from '../../protocol/limits.ts';
import type { AgentState, HaproxyIdentity } from '../../protocol/wire.ts';
import { type CliSession, openCliSession } from './cli-session.ts';
import { attemptDeletes } from './attempt-deletes.ts';
import type { DeleteOutcome } from './delete-outcome.ts';
import {
  canRevive,
  deleteKey,
  type DeleteTarget,
  leavingBackends,
  type PendingDelete,
  type ServerTarget,
  stopText,
} from './pending-delete.ts';
import { identityCommand, parseWorkerIdentity, sameWorker } from './worker-identity.ts';

/**
 * Servers and backends that take no traffic any more and are deleted once nothing uses them: at once where nothing does, else
 * tried again after 50 ms, 250 ms and then every 2 s. Sessions on a server are shut down only when its time to drain is over,
 * or when more servers than the limit wait: then the oldest. After 30 tries more an entry is left alone, but stays listed: its
 * name is taken until the next reload. The queue belongs to one worker; another one makes it void, since that one never knew
 * what the entries mean.
 *
 * A backend that goes keeps its servers in the balancing until it has no requests any more, or its time to drain is over.
 */
export interface DeferredDeletes {
  /**
   * Takes targets over and tries each once before it resolves. Servers go before their backend.
   *
   * @param tried by `deleteKey`: the outcome of a first try, of targets that had it
   */
  add(
    worker: HaproxyIdentity,
    targets: readonly DeleteTarget[],
    tried?: ReadonlyMap<string, DeleteOutcome>,
  ): Promise<void>;
  /** What an agent before this one left on the same worker, with the time it had left. */
  restore(worker: HaproxyIdentity, pending: readonly PendingDelete[]): Promise<void>;
  /**
   * Makes the names of what is about to be created free. A pending server or backend that is just like it leaves the queue and is given
   * back in `revived` (`backend/server` or `backend`): it is still there, stopped. Any other is tried for about 60 ms, without ending
   * sessions.
   */
  admit(created: readonly DeleteTarget[]): Promise<DeleteAdmission>;
  pending(): AgentState['pending_deletes'];
  /** For the state file. */
  saved(): readonly PendingDelete[];
  /** Another worker runs now: nothing is pending. */
  reset(): void;
  stop(): void;
}

export type DeleteAdmission =
  | { readonly ok: true; readonly revived: ReadonlySet<string> }
  /** The name, `backend` or `backend/server`, is still taken. */
  | { readonly ok: false; readonly taken: string };

/** `deferred`: it did not go at the first try. `superseded`: by another worker, or it was wanted again. */
export type DeferredOutcome = 'deferred' | 'done' | 'superseded' | 'abandoned';

export interface DeferredDeletesDeps {
  readonly socket: string;
  /** How long sessions on a removed server may go on. */
  readonly drainTimeoutMs: number;
  /** Called when an entry has to wait, and when it reached its end. */
  readonly onOutcome: (target: DeleteTarget, outcome: DeferredOutcome) => void;
  /** Milliseconds of the Unix clock. */
  readonly now: () => number;
  /** Servers that may wait at the same time; default: the protocol's limit. */
  readonly maxServers?: number;
}

interface Entry {
  readonly target: DeleteTarget;
  cutOffAt: number;
  tries: number;
  triesAfterCutOff: number;
  abandoned: boolean;
}

const retryMs = [50, 250];
const laterRetryMs = 2_000;
const maxTriesAfterCutOff = 30;
const settleTries = 6;
const settleRetryMs = 10;

export function createDeferredDeletes(deps: DeferredDeletesDeps): DeferredDeletes {
  const maxServers = deps.maxServers ?? limits.pendingServerDeletes;
  let entries = new Map<string, Entry>();
  let owner: HaproxyIdentity | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();

  /** One after another: two never delete at the same time. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = running.then(work, work);
    running = turn.catch(() => undefined);
    return turn;
  };

  const open = () => [...entries.values()].filter((entry) => !entry.abandoned);

  const schedule = () => {
    clearTimeout(timer);
    const waiting = open();
    if (waiting.length === 0 || stopped) return;
    const tries = Math.min(...waiting.map((entry) => entry.tries));
    timer = setTimeout(
      () => void inTurn(() => round(open())),
      retryMs[Math.max(tries, 1) - 1] ?? laterRetryMs,
    );
    timer.unref();
  };

  const reset = () => {
    clearTimeout(timer);
    const dropped = entries;
    entries = new Map();
    for (const { target } of dropped.values()) deps.onOutcome(target, 'superseded');
  };

  /** Uses a connection that stays with the worker that the entries belong to. Undefined: they are another one's, or it cannot be asked. */
  const onWorker = async <T>(
    use: (cli: CliSession, worker: HaproxyIdentity) => Promise<T>,
  ): Promise<T | undefined> => {
    const mine = entries;
    let cli: CliSession | undefined;
    try {
      cli = await openCliSession(deps.socket, limits.cliRoundTripMs);
      const [, info = ''] = await cli.ask(['set severity-output number', identityCommand]);
      const worker = parseWorkerIdentity(info);
      if (entries !== mine) return undefined;
      if (owner === undefined || (worker !== undefined && !sameWorker(owner, worker))) {
        reset();
        return undefined;
      }
      if (worker === undefined)
        throw new CodedError('HAPTIC_ERR_AGENT_CLI_BROKEN', 'no identity in the answer');
      return await use(cli, owner);
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      return undefined;
    } finally {
      cli?.close();
    }
  };

  /** One try for each of `chosen`; then the next round is planned. */
  const round = async (chosen: readonly Entry[]) => {
    clearTimeout(timer);
    if (chosen.length === 0) return;
    await onWorker(async (cli, worker) => {
      const mine = entries;
      const now = deps.now();
      const attempts = [...chosen].sort(serversFirst).map((entry) => {
        const cutOff = now >= entry.cutOffAt;
        entry.tries++;
        if (cutOff) entry.triesAfterCutOff++;
        return { entry, target: entry.target, tries: entry.tries, cutOff };
      });
      const leaving = leavingBackends([...mine.values()].map(({ target }) => target));
      const outcomes = await attemptDeletes(cli, worker.version, attempts, leaving);
      if (entries !== mine) return;
      attempts.forEach(({ entry }, index) => finish(entry, outcomes[index] ?? 'busy'));
    });
    schedule();
  };

  /** Servers that go from a backend that stays after all. Gives whether that is certain. */
  const stopServers = async (targets: readonly ServerTarget[]): Promise<boolean> => {
    if (targets.length === 0) return true;
    const replies = await onWorker((cli) => cli.ask(targets.map(stopText)));
    return replies?.every((reply) => /^\s*$|No such server/.test(reply)) === true;
  };

  const finish = (entry: Entry, outcome: DeleteOutcome) => {
    if (outcome === 'gone') {
      entries.delete(deleteKey(entry.target));
      deps.onOutcome(entry.target, 'done');
    } else if (outcome === 'impossible' || entry.triesAfterCutOff >= maxTriesAfterCutOff) {
      entry.abandoned = true;
      deps.onOutcome(entry.target, 'abandoned');
    } else if (entry.tries === 1) {
      deps.onOutcome(entry.target, 'deferred');
    }
  };

  /** Those that have waited longest lose their sessions, as many as are too many. */
  const enforceLimit = async () => {
    const servers = open().filter(({ target }) => target.kind === 'server');
    const tooMany = servers.length - maxServers + 1;
    if (tooMany <= 0) return;
    const surplus = servers.sort((a, b) => a.cutOffAt - b.cutOffAt).slice(0, tooMany);
    for (const entry of surplus) entry.cutOffAt = Math.min(entry.cutOffAt, deps.now());
    await round(surplus);
  };

  const take = async (
    worker: HaproxyIdentity,
    pending: readonly PendingDelete[],
    tried: ReadonlyMap<string, DeleteOutcome> = new Map(),
  ) => {
    if (owner !== undefined && !sameWorker(owner, worker)) reset();
    owner = worker;
    const added: Entry[] = [];
    for (const { target, cutOffAt } of pending) {
      const key = deleteKey(target);
      if (entries.has(key)) continue;
      const entry = { target, cutOffAt, tries: 0, triesAfterCutOff: 0, abandoned: false };
      entries.set(key, entry);
      const outcome = tried.get(key);
      // On 2.6 an idle connection makes a server busy that can be had free.
      if (outcome === undefined || (outcome === 'busy' && worker.version === '2.6')) {
        added.push(entry);
        continue;
      }
      entry.tries = 1;
      finish(entry, outcome);
    }
    if (added.length > 0) await round(added);
    else schedule();
    await enforceLimit();
  };

  /** The pending entries whose names `target` would take: for a backend also its servers'. */
  const inTheWayOf = (target: DeleteTarget) =>
    [...entries.values()].filter(({ target: other }) =>
      target.kind === 'server' ? deleteKey(other) === deleteKey(target) : other.backend === target.backend,
    );

  const settle = async (target: DeleteTarget): Promise<boolean> => {
    for (let attempt = 0; attempt < settleTries; attempt++) {
      if (attempt > 0) await sleep(settleRetryMs);
      const blocking = inTheWayOf(target);
      if (blocking.length === 0) return true;
      for (const entry of blocking) entry.abandoned = false;
      await round(blocking);
    }
    return inTheWayOf(target).length === 0;
  };

  const admitInTurn = async (created: readonly DeleteTarget[]): Promise<DeleteAdmission> => {
    const revived = new Set<string>();
    for (const target of created) {
      const pending = entries.get(deleteKey(target));
      if (pending !== undefined && canRevive(pending.target, target)) revived.add(deleteKey(target));
      else if (!(await settle(target))) return { ok: false, taken: deleteKey(target) };
    }
    const left = [...entries.values()].flatMap(({ target }) =>
      target.kind === 'server' && revived.has(target.backend) && !revived.has(deleteKey(target))
        ? [target]
        : [],
    );
    if (!(await stopServers(left))) return { ok: false, taken: left.map(deleteKey)[0] ?? '' };
    // A settling backend may have taken a server along that was to be revived.
    for (const key of revived) {
      const entry = entries.get(key);
      if (entry === undefined) revived.delete(key);
      else {
        entries.delete(key);
        deps.onOutcome(entry.target, 'superseded');
      }
    }
    return { ok: true, revived };
  };

  return {
    add: (worker, targets, tried) => {
      if (targets.length === 0) return Promise.resolve();
      const cutOffAt = deps.now() + deps.drainTimeoutMs;
      return inTurn(() =>
        take(
          worker,
          targets.map((target) => ({ target, cutOffAt })),
          tried,
        ),
      );
    },
    restore: (worker, pending) => {
      const latest = deps.now() + deps.drainTimeoutMs;
      return inTurn(() =>
        take(
          worker,
          pending.map(({ target, cutOffAt }) => ({ target, cutOffAt: Math.min(cutOffAt, latest) })),
        ),
      );
    },
    admit: (created) => {
      if (!created.some((target) => inTheWayOf(target).length > 0))
        return Promise.resolve({ ok: true, revived: new Set<string>() });
      return inTurn(() => admitInTurn(created));
    },
    pending: () => {
      const targets = [...entries.values()].map((entry) => entry.target);
      return {
        servers: targets.filter(({ kind }) => kind === 'server').map(deleteKey),
        backends: targets.filter(({ kind }) => kind === 'backend').map(deleteKey),
      };
    },
    saved: () => [...entries.values()].map(({ target, cutOffAt }) => ({ target, cutOffAt })),
    reset,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

function serversFirst(a: Entry, b: Entry): number {
  return Number(a.target.kind === 'backend') - Number(b.target.kind === 'backend');
}
