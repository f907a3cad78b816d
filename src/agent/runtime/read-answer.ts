import { CodedError } from '../../lib/coded-error.ts';
import { limits } from '../../protocol/limits.ts';
import type { HaproxyIdentity } from '../../protocol/wire.ts';
import { cliLines, tooLarge } from './cli-lines.ts';
import { identityCommand, parseWorkerIdentity, sameWorker } from './worker-identity.ts';

/** What was read from a worker. `unverified`: nothing can be said, and that is not a difference. */
export type ReadOutcome<T> =
  | { readonly kind: 'read'; readonly value: T }
  /** HAProxy does not know what was asked for. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'unverified'; readonly reason: 'too_large' };

export interface WorkerSocket {
  readonly socket: string;
  /** Whose answer it must be. */
  readonly worker: HaproxyIdentity;
  /** Longest answer that is read; default 16 MiB. */
  readonly maxBytes?: number;
}

const defaultMaxBytes = 16 * 1024 * 1024;
const refusal = /^\[[0-3]\]: /;

/**
 * Asks one question and hands each line of the answer to `take`; its lines are not held. Throws what the socket throws, and
 * `HAPTIC_ERR_AGENT_CLI_BROKEN` when the answer does not end or another worker gave it.
 */
export async function readAnswer(
  { socket, worker, maxBytes = defaultMaxBytes }: WorkerSocket,
  question: string,
  take: (line: string) => void,
): Promise<ReadOutcome<undefined>> {
  // The first question is answered by an empty line, the second by its lines and an empty one.
  const lines = cliLines(socket, `set severity-output number;${question};${identityCommand}`, {
    timeoutMs: limits.cliRoundTripMs,
    maxBytes,
  });
  let blanks = 0;
  let absent = false;
  const tail: string[] = [];
  for (;;) {
    const next = await lines.next();
    if (next.done === true) {
      if (next.value === tooLarge) return { kind: 'unverified', reason: 'too_large' };
      break;
    }
    const line = next.value;
    // 2.6 leaves out the empty line after some refusals, so that the identity follows at once.
    if (blanks >= 2 || absent) tail.push(line);
    else if (line === '') blanks++;
    else if (refusal.test(line)) absent = true;
    else take(line);
  }
  const seen = parseWorkerIdentity(tail.join('\n'));
  if (seen === undefined || !sameWorker(seen, worker))
    throw new CodedError('HAPTIC_ERR_AGENT_CLI_BROKEN', `HAProxy socket ${socket}: another worker answered`);
  return absent ? { kind: 'absent' } : { kind: 'read', value: undefined };
}
