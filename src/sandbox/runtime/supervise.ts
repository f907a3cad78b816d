import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { BehaviorSubject, type Observable } from 'rxjs';
import { type BackoffPolicy, backoffDelay } from '../../lib/backoff.ts';
import type { OrphanGuard } from './orphan-guard.ts';

export interface ProcessSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Both output streams are appended to this file. */
  readonly logFile: string;
}

/** How a process ended; exactly one of the two is set. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly startedAt: Date;
  readonly finishedAt: Date;
}

export type ProcessState =
  | {
      readonly kind: 'running';
      readonly pid: number;
      readonly startedAt: Date;
      readonly restarts: number;
      readonly lastExit: ProcessExit | undefined;
    }
  | {
      readonly kind: 'waiting';
      readonly restarts: number;
      readonly lastExit: ProcessExit;
      readonly delayMs: number;
    }
  | { readonly kind: 'stopped' };

export interface SupervisedProcess {
  readonly name: string;
  /** The present state first, then every change; completes when stopped. */
  readonly state$: Observable<ProcessState>;
  /** Undefined while it does not run. */
  readonly pid: () => number | undefined;
  readonly restarts: () => number;
  /** Ends it for good: SIGTERM, after `graceMs` SIGKILL to its whole process group. Resolves when it is gone. */
  readonly stop: (graceMs?: number) => Promise<void>;
}

/** As a kubelet restarts containers, but sooner: nobody waits minutes at a sandbox. */
const restartPolicy: BackoffPolicy = {
  min: 100,
  max: 10_000,
  factor: 3,
  jitter: 0,
  resetAfter: 10_000,
};

/**
 * Runs a program in a process group of its own and starts it again whenever it ends, after a delay that grows while it
 * does not stay up for `resetAfter`. What it leaves behind in its group is killed before the next start, as a container's
 * processes are.
 */
export function supervise(spec: ProcessSpec, guard: OrphanGuard, policy = restartPolicy): SupervisedProcess {
  const stopping = new AbortController();
  let restarts = 0;
  let attempt = 0;
  let child: ChildProcess | undefined;
  let lastExit: ProcessExit | undefined;

  const runOnce = async (): Promise<ProcessExit> => {
    const startedAt = new Date();
    const log = openSync(spec.logFile, 'a');
    const started = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: spec.env,
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    const { pid } = started;
    if (pid === undefined) {
      await once(started, 'error');
      return { code: 127, signal: null, startedAt, finishedAt: new Date() };
    }
    guard.add(pid);
    child = started;
    const exit = once(started, 'exit');
    states.next({ kind: 'running', pid, startedAt, restarts, lastExit });
    const [code, signal] = (await exit) as [number | null, NodeJS.Signals | null];
    child = undefined;
    killGroup(pid);
    guard.remove(pid);
    return { code, signal, startedAt, finishedAt: new Date() };
  };

  const run = async () => {
    const isStopping = () => stopping.signal.aborted;
    while (!isStopping()) {
      const exit = await runOnce();
      lastExit = exit;
      if (isStopping()) break;
      if (exit.finishedAt.getTime() - exit.startedAt.getTime() >= policy.resetAfter) attempt = 0;
      const delayMs = backoffDelay(policy, attempt++, 0.5);
      states.next({ kind: 'waiting', restarts, lastExit: exit, delayMs });
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      restarts++;
    }
    states.next({ kind: 'stopped' });
    states.complete();
  };

  const states = new BehaviorSubject<ProcessState>({ kind: 'stopped' });
  const ended = run();
  return {
    name: spec.name,
    state$: states.asObservable(),
    pid: () => child?.pid,
    restarts: () => restarts,
    stop: async (graceMs = 5_000) => {
      stopping.abort();
      const pid = child?.pid;
      if (pid !== undefined) {
        child?.kill('SIGTERM');
        const kill = setTimeout(() => killGroup(pid), graceMs);
        await ended;
        clearTimeout(kill);
      }
      await ended;
    },
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody is left in the group: that is what was wanted.
  }
}
