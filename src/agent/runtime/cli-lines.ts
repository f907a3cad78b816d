import net from 'node:net';
import { CodedError } from '../../lib/coded-error.ts';

export interface CliLinesOptions {
  /** Longest silence before the request is given up. */
  readonly timeoutMs: number;
  /** Longest answer. */
  readonly maxBytes: number;
}

/** What {@link cliLines} returns when the answer is longer than asked for: what came so far says nothing about the rest. */
export const tooLarge = Symbol('too large');

/**
 * The lines of HAProxy's answer as they come, for answers that are too long to hold. Nothing is kept of them here, and the connection
 * is closed however the caller stops. Returns `tooLarge` once `maxBytes` were read. Not tried again.
 * Errors: `HAPTIC_ERR_AGENT_CLI_UNREACHABLE`, `HAPTIC_ERR_AGENT_CLI_BROKEN`.
 */
export async function* cliLines(
  socket: string,
  line: string,
  options: CliLinesOptions,
): AsyncGenerator<string, typeof tooLarge | undefined> {
  const connection = net.connect(socket);
  connection.setEncoding('utf8');
  connection.setTimeout(options.timeoutMs, () =>
    connection.destroy(new Error(`no answer within ${String(options.timeoutMs)} ms`)),
  );
  connection.on('connect', () => connection.write(`${line}\n`));
  try {
    let rest = '';
    for await (const chunk of connection) {
      const lines = `${rest}${String(chunk)}`.split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
      if (connection.bytesRead > options.maxBytes) return tooLarge;
    }
    if (rest !== '') yield rest;
    return undefined;
  } catch (cause) {
    const code =
      connection.bytesWritten > 0 ? 'HAPTIC_ERR_AGENT_CLI_BROKEN' : 'HAPTIC_ERR_AGENT_CLI_UNREACHABLE';
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CodedError(code, `HAProxy socket ${socket}: ${why}`, { cause });
  } finally {
    connection.destroy();
  }
}
