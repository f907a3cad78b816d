import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '../../lib/coded-error.ts';
import { limits } from '../../protocol/limits.ts';
import type { HaproxyIdentity } from '../../protocol/wire.ts';
import { cliRequest } from './cli-request.ts';
import { isListening } from './is-listening.ts';
import { type MasterStatus, parseMasterStatus } from './master-status.ts';
import { readWorkerIdentity, sameWorker } from './worker-identity.ts';

export interface ReloadOptions {
  readonly masterSocket: string;
  readonly workerSocket: string;
  /** The worker to be replaced, when one is known. */
  readonly former: HaproxyIdentity | undefined;
  readonly timeoutMs: number;
  /** Longest time without anybody at a socket, default 10 s. */
  readonly patienceMs?: number;
}

export type ReloadOutcome =
  | {
      readonly ok: true;
      readonly worker: HaproxyIdentity;
      readonly output: string;
      readonly tookMs: number;
    }
  /** `refused`: HAProxy's own verdict on the files. `unknown`: no verdict, because it could not be reached or took too long. */
  | {
      readonly ok: false;
      readonly verdict: 'refused' | 'unknown';
      readonly output: string;
      readonly tookMs: number;
    };

/** Said with `Success=0` by a master that has not finished starting a worker: no verdict on the files. */
const busyMaster = 'Another reload is still in progress';
/** Asked often at first, since most reloads take no time, and not so that a long one costs HAProxy anything. */
const pollMs = { first: 20, most: 250 };
const retryMs = 100;
/** As long as HAProxy takes to be started again by its container. */
const defaultPatienceMs = 10_000;
/** A master that got `reload` counts it within this time, or the line was lost with a master that died. */
const lostAfterMs = 10_000;

/**
 * Reloads HAProxy through its master and waits until a different worker answers. From 2.7 the master answers `reload` with
 * `Success=` and its start-up log; 2.6 closes the connection at once, and the verdict is in `show proc`: another worker,
 * or one more failed reload (its reasons are then in HAProxy's own log only). Never throws.
 *
 * A HAProxy that was told to end is not reloaded. Only HAProxy's own words are a verdict. A connection that is refused or lost (the master died, or begins only now), a master that was
 * replaced meanwhile and one that is busy with another reload are asked again, until the time is over or nobody was there for
 * `patienceMs`.
 */
export async function reloadHaproxy(options: ReloadOptions): Promise<ReloadOutcome> {
  const started = performance.now();
  const tookMs = () => Math.round(performance.now() - started);
  const left = () => Math.max(1, options.timeoutMs - tookMs());
  const patience = createPatience(options.patienceMs ?? defaultPatienceMs);
  for (;;) {
    try {
      const done = await reloadOnce(options, left, patience);
      return { ...done, tookMs: tookMs() };
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      if (left() <= 1 || patience.isOver(error))
        return { ok: false, verdict: 'unknown', output: error.message, tookMs: tookMs() };
      await sleep(retryMs);
    }
  }
}

type Verdict = Pick<Extract<ReloadOutcome, { ok: true }>, 'ok' | 'worker' | 'output'> | Refusal;
type Refusal = Pick<Extract<ReloadOutcome, { ok: false }>, 'ok' | 'verdict' | 'output'>;

/** Throws CodedError when there is no verdict. */
async function reloadOnce(options: ReloadOptions, left: () => number, patience: Patience): Promise<Verdict> {
  const before = parseMasterStatus(await masterRequest(options, 'show proc', left()));
  await refuseWhileEnding(options, before);
  const output = await masterRequest(options, 'reload', left());
  if (logOf(output).startsWith(busyMaster)) throw broken(options, 'another reload is in progress');
  if (output.startsWith('Success=0')) return { ok: false, verdict: 'refused', output: logOf(output) };
  if (!output.startsWith('Success=1') && (await pollVerdict(options, before, left, patience)))
    return { ok: false, verdict: 'refused', output: refusedWithoutLog };
  return { ok: true, worker: await newWorker(options, left, patience), output: logOf(output) };
}

/**
 * Throws while a soft stop (SIGUSR1) is under way: the worker that was there still runs, and listens on its socket no more. The master would
 * start another one beside it and serve on. A HAProxy that was started anew, with the same pids, looks the same until its worker listens.
 */
async function refuseWhileEnding(options: ReloadOptions, { worker }: MasterStatus): Promise<void> {
  const { workerSocket, former } = options;
  if (former === undefined || worker !== former.worker_pid || (await isListening(workerSocket))) return;
  const message = `HAProxy socket ${workerSocket}: nobody listens, though the worker runs: HAProxy ends, and never would if it was reloaded`;
  throw new CodedError('HAPTIC_ERR_AGENT_CLI_UNREACHABLE', message);
}

/** How long nobody has been at a socket. */
interface Patience {
  /** Whether after this failure it is time to give up. */
  isOver(error: unknown): boolean;
}

function createPatience(ms: number): Patience {
  let since: number | undefined;
  return {
    isOver: (error) => {
      const isThere = !(error instanceof CodedError) || error.code !== 'HAPTIC_ERR_AGENT_CLI_UNREACHABLE';
      since = isThere ? undefined : (since ?? performance.now());
      return since !== undefined && performance.now() - since > ms;
    },
  };
}

const refusedWithoutLog =
  'HAProxy refused the files. This line does not hand out its start-up log; the reasons are in the log of the HAProxy container.';

function masterRequest(options: ReloadOptions, line: string, timeoutMs: number): Promise<string> {
  return cliRequest(options.masterSocket, line, { timeoutMs, deadlineMs: timeoutMs, halfClose: true });
}

function logOf(answer: string): string {
  return answer.replace(/^Success=[01]\n--\n/, '').trim();
}

/** True when the master counted a failed reload, false when it started another worker. Throws when it is another master. */
async function pollVerdict(
  options: ReloadOptions,
  before: MasterStatus,
  left: () => number,
  patience: Patience,
): Promise<boolean> {
  const until = performance.now() + lostAfterMs;
  const polling = createPolling();
  while (left() > 1) {
    const now = await masterRequest(options, 'show proc', left()).then(
      parseMasterStatus,
      (error: unknown) => {
        if (patience.isOver(error)) throw error;
      },
    );
    if (now !== undefined) {
      const another = now.worker !== undefined && now.worker !== before.worker;
      if (now.reloads < before.reloads) throw broken(options, 'the master is another one by now');
      if (now.failed > before.failed) return true;
      if (another && now.reloads > before.reloads) return false;
      // A master that was started in the meantime counts from zero again, and a reload shows in the count at once.
      const isLost = another || performance.now() > until;
      if (isLost && now.reloads === before.reloads) throw broken(options, 'the reload was lost');
    }
    await polling();
  }
  throw timedOut(options);
}

async function newWorker(
  options: ReloadOptions,
  left: () => number,
  patience: Patience,
): Promise<HaproxyIdentity> {
  const polling = createPolling();
  while (left() > 1) {
    const timeoutMs = Math.min(left(), limits.cliRoundTripMs);
    const worker = await readWorkerIdentity(options.workerSocket, timeoutMs).catch((error: unknown) => {
      if (patience.isOver(error)) throw error;
    });
    if (worker !== undefined && (options.former === undefined || !sameWorker(worker, options.former)))
      return worker;
    await polling();
  }
  throw timedOut(options);
}

/** The pause before the next question: a fifth of the time since the first. */
function createPolling(): () => Promise<void> {
  const began = performance.now();
  return async () => {
    const ms = (performance.now() - began) / 5;
    await sleep(Math.min(Math.max(ms, pollMs.first), pollMs.most));
  };
}

function broken({ masterSocket }: ReloadOptions, what: string): CodedError {
  return new CodedError('HAPTIC_ERR_AGENT_CLI_BROKEN', `HAProxy socket ${masterSocket}: ${what}`);
}

function timedOut(options: ReloadOptions): CodedError {
  return new CodedError(
    'HAPTIC_ERR_AGENT_RELOAD_TIMEOUT',
    `the reload did not finish within ${String(options.timeoutMs)} ms`,
  );
}
