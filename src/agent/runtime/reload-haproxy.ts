import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '../../lib/coded-error.ts';
import { limits } from '../../protocol/limits.ts';
import type { HaproxyIdentity } from '../../protocol/wire.ts';
import { cliRequest } from './cli-request.ts';
import { type MasterStatus, parseMasterStatus } from './master-status.ts';
import { readWorkerIdentity, sameWorker } from './worker-identity.ts';

export interface ReloadOptions {
  readonly masterSocket: string;
  readonly workerSocket: string;
  /** The worker to be replaced, when one is known. */
  readonly former: HaproxyIdentity | undefined;
  readonly timeoutMs: number;
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

const pollMs = 20;

/**
 * Reloads HAProxy through its master and waits until a different worker answers. From 2.7 the master answers `reload` with
 * `Success=` and its start-up log; 2.6 closes the connection at once, and the verdict is in `show proc`: another worker,
 * or one more failed reload (its reasons are then in HAProxy's own log only). Never throws.
 */
export async function reloadHaproxy(options: ReloadOptions): Promise<ReloadOutcome> {
  const started = performance.now();
  const tookMs = () => Math.round(performance.now() - started);
  const left = () => Math.max(1, options.timeoutMs - tookMs());
  try {
    const before = parseMasterStatus(await masterRequest(options, 'show proc', left()));
    const output = await masterRequest(options, 'reload', left());
    if (output.startsWith('Success=0'))
      return { ok: false, verdict: 'refused', output: logOf(output), tookMs: tookMs() };
    if (!output.startsWith('Success=1')) {
      const refused = await pollVerdict(options, before, left);
      if (refused) return { ok: false, verdict: 'refused', output: refusedWithoutLog, tookMs: tookMs() };
    }
    const worker = await newWorker(options, left);
    return { ok: true, worker, output: logOf(output), tookMs: tookMs() };
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return { ok: false, verdict: 'unknown', output: error.message, tookMs: tookMs() };
  }
}

const refusedWithoutLog =
  'HAProxy refused the files. This line does not hand out its start-up log; the reasons are in the log of the HAProxy container.';

function masterRequest(options: ReloadOptions, line: string, timeoutMs: number): Promise<string> {
  return cliRequest(options.masterSocket, line, { timeoutMs, halfClose: true });
}

function logOf(answer: string): string {
  return answer.replace(/^Success=[01]\n--\n/, '').trim();
}

/** True when the master counted a failed reload, false when it started another worker. */
async function pollVerdict(
  options: ReloadOptions,
  before: MasterStatus,
  left: () => number,
): Promise<boolean> {
  while (left() > 1) {
    const now = await masterRequest(options, 'show proc', left()).then(parseMasterStatus, () => undefined);
    if (now !== undefined && now.failed > before.failed) return true;
    if (now?.worker !== undefined && now.worker !== before.worker && now.reloads > before.reloads)
      return false;
    await sleep(pollMs);
  }
  throw timedOut(options);
}

async function newWorker(options: ReloadOptions, left: () => number): Promise<HaproxyIdentity> {
  while (left() > 1) {
    const worker = await readWorkerIdentity(
      options.workerSocket,
      Math.min(left(), limits.cliRoundTripMs),
    ).catch(() => undefined);
    if (worker !== undefined && (options.former === undefined || !sameWorker(worker, options.former)))
      return worker;
    await sleep(pollMs);
  }
  throw timedOut(options);
}

function timedOut(options: ReloadOptions): CodedError {
  return new CodedError(
    'HAPTIC_ERR_AGENT_RELOAD_TIMEOUT',
    `the reload did not finish within ${String(options.timeoutMs)} ms`,
  );
}
