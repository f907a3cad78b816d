import net from 'node:net';
import { CodedError } from '../../lib/coded-error.ts';

/** One connection to HAProxy's CLI that is kept open, and so stays with one worker, whatever is reloaded meanwhile. */
export interface CliSession {
  /** Runs commands in order; their answers, without blanks at the ends. One call at a time. */
  ask(commands: readonly string[]): Promise<readonly string[]>;
  close(): void;
}

const prompt = '\n> ';

/**
 * Opens a connection in HAProxy's interactive mode, where every line's answer ends with a prompt. Commands go one to a line: older HAProxy print a
 * prompt for each part of a `;` line, newer ones do not. Of no use for answers with lines that begin with `> `.
 * Errors, also of `ask`: `HAPTIC_ERR_AGENT_CLI_UNREACHABLE` (nothing ran), `HAPTIC_ERR_AGENT_CLI_BROKEN` (what ran is unknown).
 *
 * @param timeoutMs longest silence while an answer is waited for
 */
export async function openCliSession(socket: string, timeoutMs: number): Promise<CliSession> {
  const connection = net.connect(socket);
  connection.setEncoding('utf8');
  let received = '';
  let ended: Error | undefined;
  let wake: () => void = () => undefined;
  const end = (error: Error) => {
    ended ??= error;
    wake();
  };
  connection.on('data', (chunk) => {
    received += String(chunk);
    wake();
  });
  connection.on('error', end);
  connection.on('end', () => end(new Error('HAProxy closed the connection')));
  connection.on('close', () => end(new Error('the connection is closed')));
  connection.setTimeout(timeoutMs, () => {
    connection.destroy(new Error(`no answer within ${String(timeoutMs)} ms`));
  });

  /** The next `count` answers; what came after them stays. */
  const answers = async (count: number): Promise<string[]> => {
    for (;;) {
      const parts = received.split(prompt);
      if (parts.length > count) {
        received = parts.slice(count).join(prompt);
        return parts.slice(0, count).map((text) => text.trim());
      }
      if (ended !== undefined) {
        received = '';
        throw failure(ended);
      }
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const failure = (cause: Error) => {
    const code =
      connection.bytesRead > 0 ? 'HAPTIC_ERR_AGENT_CLI_BROKEN' : 'HAPTIC_ERR_AGENT_CLI_UNREACHABLE';
    return new CodedError(code, `HAProxy socket ${socket}: ${cause.message}`, { cause });
  };

  connection.write('prompt\n');
  await answers(1);
  return {
    ask: async (commands) => {
      if (commands.length === 0) return [];
      connection.write(commands.map((command) => `${command}\n`).join(''));
      return answers(commands.length);
    },
    close: () => connection.destroy(),
  };
}
