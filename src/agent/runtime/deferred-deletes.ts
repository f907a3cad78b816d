import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '../../lib/coded-error.ts';
import type { AgentState, HaproxyIdentity } from '../../protocol/wire.ts';
import type { DeleteTarget } from './command.ts';
import { attemptDeletes, type DeleteOutcome } from './attempt-deletes.ts';
import { readWorkerIdentity, sameWorker } from './worker-identity.ts';

/**
 * Servers and backends that take no traffic any more and are deleted once nothing uses them: at once where nothing does, else
 * tried again after 50 ms, 250 ms and then every 2 s; from the fourth try on, so after 2 s, what still uses a server is cut off.
 * After 30 tries an entry is left alone, but stays listed: its name is taken until the next reload. The queue belongs to
 * one worker; another worker makes it void, since that one never knew what the entries mean.
 */
export interface DeferredDeletes {
  /** Takes targets over and tries each once before it resolves. Servers go before their backend. */
  add(worker: HaproxyIdentity, targets: readonly DeleteTarget[]): Promise<void>;
  /** Tries again now, for up to 50 ms, and cuts off what still uses it; true when neither the target nor, for a backend, any of its servers is pending any more. */
  settle(target: DeleteTarget): Promise<boolean>;
  pending(): AgentState['pending_deletes'];
  /** Another worker runs now: nothing is pending. */
  reset(): void;
  stop(): void;
}

export interface DeferredDeletesDeps {
  readonly socket: string;
  /** Called for every entry that reached its end. */
  readonly onOutcome: (target: DeleteTarget, outcome: 'done' | 'superseded' | 'abandoned') => void;
}

interface Entry {
  readonly target: DeleteTarget;
  tries: number;
  abandoned: boolean;
}

const retryMs = [50, 250];
const laterRetryMs = 2_000;
const cutOffAfter = 4;
const maxTries = 30;
const settleTries = 6;
const settleRetryMs = 10;

export function createDeferredDeletes(deps: DeferredDeletesDeps): DeferredDeletes {
  let entries = new Map<string, Entry>();
  let owner: HaproxyIdentity | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  const schedule = () => {
    clearTimeout(timer);
    const open = [...entries.values()].filter((entry) => !entry.abandoned);
    if (open.length === 0) return;
    const tries = Math.min(...open.map((entry) => entry.tries));
    timer = setTimeout(() => void round(), retryMs[Math.max(tries, 1) - 1] ?? laterRetryMs);
    timer.unref();
  };

  const reset = () => {
    clearTimeout(timer);
    const dropped = entries;
    entries = new Map();
    for (const { target } of dropped.values()) deps.onOutcome(target, 'superseded');
  };

  /** One try for every entry. Rounds run one after another: two never delete at the same time. */
  const round = (): Promise<void> => {
    running = running.then(runRound, runRound);
    return running;
  };

  const runRound = async () => {
    clearTimeout(timer);
    const mine = entries;
    const open = [...mine.values()].filter((entry) => !entry.abandoned).sort(serversFirst);
    if (open.length === 0) return;
    try {
      if (owner === undefined || !sameWorker(owner, await readWorkerIdentity(deps.socket))) {
        reset();
        return;
      }
      for (const entry of open) entry.tries++;
      const outcomes = await attemptDeletes(
        deps.socket,
        owner.version,
        open.map(({ target, tries }) => ({ target, tries, cutOff: tries >= cutOffAfter })),
      );
      if (entries !== mine) return;
      open.forEach((entry, index) => finish(mine, entry, outcomes[index] ?? 'busy'));
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
    }
    schedule();
  };

  const finish = (mine: Map<string, Entry>, entry: Entry, outcome: DeleteOutcome) => {
    if (outcome === 'gone') {
      mine.delete(keyOf(entry.target));
      deps.onOutcome(entry.target, 'done');
    } else if (outcome === 'impossible' || entry.tries >= maxTries) {
      entry.abandoned = true;
      deps.onOutcome(entry.target, 'abandoned');
    }
  };

  return {
    add: async (worker, targets) => {
      if (owner !== undefined && !sameWorker(owner, worker)) reset();
      owner = worker;
      for (const target of targets) {
        const key = keyOf(target);
        if (!entries.has(key)) entries.set(key, { target, tries: 0, abandoned: false });
      }
      if (targets.length > 0) await round();
    },
    settle: async (target) => {
      const concerns = (other: DeleteTarget) =>
        target.kind === 'server' ? keyOf(other) === keyOf(target) : other.backend === target.backend;
      const open = () => [...entries.values()].filter((entry) => concerns(entry.target));
      if (open().length === 0) return true;
      for (let attempt = 0; attempt < settleTries; attempt++) {
        if (attempt > 0) await sleep(settleRetryMs);
        for (const entry of open()) {
          entry.abandoned = false;
          entry.tries = Math.max(entry.tries, cutOffAfter);
        }
        await round();
        if (open().length === 0) return true;
      }
      return false;
    },
    pending: () => {
      const targets = [...entries.values()].map((entry) => entry.target);
      return {
        servers: targets.flatMap((target) =>
          target.kind === 'server' ? [`${target.backend}/${target.server}`] : [],
        ),
        backends: targets.flatMap((target) => (target.kind === 'backend' ? [target.backend] : [])),
      };
    },
    reset,
    stop: () => clearTimeout(timer),
  };
}

function keyOf(target: DeleteTarget): string {
  return target.kind === 'server' ? `${target.backend}/${target.server}` : target.backend;
}

function serversFirst(a: Entry, b: Entry): number {
  return Number(a.target.kind === 'backend') - Number(b.target.kind === 'backend');
}
