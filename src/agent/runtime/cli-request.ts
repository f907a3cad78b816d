import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '../../lib/coded-error.ts';

export interface CliRequestOptions {
  /** Longest silence before the request is given up. */
  readonly timeoutMs: number;
  /** Longest time for all of the answer, however much of it comes; default: no end. */
  readonly deadlineMs?: number;
  /** Close the write side after the line: the master's socket answers to its end only then. */
  readonly halfClose?: boolean;
}

const connectAttempts = 3;
const connectRetryMs = 100;

/**
 * Sends one line to a HAProxy CLI socket on a connection of its own and gives everything HAProxy answers until it closes.
 * One connection per line (about 0.08 ms) is what makes answers attributable: no prompts, and one worker per answer.
 * A refused connection is tried 3 times, 100 ms apart, since nothing was sent yet; nothing else is retried.
 * Errors: `HAPTIC_ERR_AGENT_CLI_UNREACHABLE` (nothing ran), `HAPTIC_ERR_AGENT_CLI_BROKEN` (what ran is unknown).
 */
export async function cliRequest(socket: string, line: string, options: CliRequestOptions): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await requestOnce(socket, line, options);
    } catch (error) {
      const unreachable = error instanceof CodedError && error.code === 'HAPTIC_ERR_AGENT_CLI_UNREACHABLE';
      if (!unreachable || attempt === connectAttempts) throw error;
      await sleep(connectRetryMs);
    }
  }
}

function requestOnce(socket: string, line: string, options: CliRequestOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let connected = false;
    const connection = net.connect(socket);
    connection.setTimeout(options.timeoutMs, () => {
      connection.destroy(new Error(`no answer within ${String(options.timeoutMs)} ms`));
    });
    const { deadlineMs } = options;
    const deadline =
      deadlineMs === undefined
        ? undefined
        : setTimeout(
            () => connection.destroy(new Error(`no end of the answer within ${String(deadlineMs)} ms`)),
            deadlineMs,
          );
    connection.on('close', () => clearTimeout(deadline));
    connection.on('connect', () => (connected = true));
    connection.on('data', (chunk: Buffer) => chunks.push(chunk));
    connection.on('end', () => {
      connection.destroy();
      resolve(Buffer.concat(chunks).toString('utf8'));
    });
    connection.on('error', (cause) => {
      const code = connected ? 'HAPTIC_ERR_AGENT_CLI_BROKEN' : 'HAPTIC_ERR_AGENT_CLI_UNREACHABLE';
      reject(new CodedError(code, `HAProxy socket ${socket}: ${cause.message}`, { cause }));
    });
    if (options.halfClose === true) connection.end(`${line}\n`);
    else connection.write(`${line}\n`);
  });
}
