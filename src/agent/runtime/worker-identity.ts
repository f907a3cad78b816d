import { limits } from '../../protocol/limits.ts';
import type { HaproxyIdentity } from '../../protocol/wire.ts';
import { CodedError } from '../../lib/coded-error.ts';
import { cliRequest } from './cli-request.ts';

/** The command whose answer tells which worker a connection reached. */
export const identityCommand = 'show info float';

/** Reads a worker's identity out of an answer that contains `show info float`; undefined when it does not. */
export function parseWorkerIdentity(answer: string): HaproxyIdentity | undefined {
  const pid = /^Pid: (\d+)$/m.exec(answer)?.[1];
  const start = /^Start_time_sec: (\d+(?:\.\d+)?)$/m.exec(answer)?.[1];
  const fullVersion = /^Version: (\S+)$/m.exec(answer)?.[1];
  if (pid === undefined || start === undefined || fullVersion === undefined) return undefined;
  return {
    version: /^\d+\.\d+/.exec(fullVersion)?.[0] ?? fullVersion,
    full_version: fullVersion,
    worker_pid: Number(pid),
    worker_start_time_unix_micros: Math.round(Number(start) * 1e6),
  };
}

/** Asks the worker who it is. Throws when it does not answer or not as HAProxy does. */
export async function readWorkerIdentity(
  socket: string,
  timeoutMs: number = limits.cliRoundTripMs,
): Promise<HaproxyIdentity> {
  const identity = parseWorkerIdentity(await cliRequest(socket, identityCommand, { timeoutMs }));
  if (identity === undefined)
    throw new CodedError(
      'HAPTIC_ERR_AGENT_CLI_BROKEN',
      `HAProxy socket ${socket}: no answer to ${identityCommand}`,
    );
  return identity;
}

/** Pid and start time together: a pid alone comes back after a container restart. */
export function sameWorker(a: HaproxyIdentity, b: HaproxyIdentity): boolean {
  return a.worker_pid === b.worker_pid && a.worker_start_time_unix_micros === b.worker_start_time_unix_micros;
}
