import { limits } from '../../protocol/limits.ts';
import type { RuntimeCommand } from './command.ts';
import { identityCommand } from './worker-identity.ts';

/** One request: the text to send and the commands whose answers come back, in this order. */
export interface CommandLine {
  readonly text: string;
  readonly commands: readonly RuntimeCommand[];
  /** Where the worker's identity stands among the answers. */
  readonly identity: 'first' | 'last' | 'none';
}

const prefix = 'set severity-output number;';

/**
 * Joins commands to as few `;` lines as fit the line limit. Every line also asks for the worker's identity: at its end,
 * where it proves as well that all of the line was executed, or at its beginning on a line with a payload, which must be
 * the line's last command; a payload that only counts later goes without. Order is kept.
 * Throws RangeError for a command that does not fit a line of its own.
 */
export function batchCommands(commands: readonly RuntimeCommand[]): CommandLine[] {
  const lines: CommandLine[] = [];
  let open: RuntimeCommand[] = [];
  let size = 0;
  const close = () => {
    if (open.length > 0) lines.push(plainLine(open));
    open = [];
    size = 0;
  };
  for (const command of commands) {
    const line = command.payload === undefined ? undefined : payloadLine(command, command.payload);
    const length = line === undefined ? commandBytes(command) : Buffer.byteLength(line.text);
    if (length > limits.commandLineBytes)
      throw new RangeError(`a runtime command of ${String(length)} bytes is too long`);
    if (line !== undefined || size + length > limits.commandLineBytes) close();
    if (line !== undefined) {
      lines.push(line);
      continue;
    }
    open.push(command);
    size += length;
  }
  close();
  return lines;
}

/** A command that is repeated goes twice at once: its second answer is nearly always the refusal that ends it. */
function texts(command: RuntimeCommand): string[] {
  return command.repeatUntil === undefined ? [command.text] : [command.text, command.text];
}

function commandBytes(command: RuntimeCommand): number {
  return texts(command).reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
}

function plainLine(commands: readonly RuntimeCommand[]): CommandLine {
  const text = `${prefix}${commands.flatMap(texts).join(';')};${identityCommand}`;
  return { text, commands, identity: 'last' };
}

function payloadLine(command: RuntimeCommand, payload: readonly string[]): CommandLine {
  const identity = command.countsLater === true ? 'none' : 'first';
  const question = identity === 'first' ? `${identityCommand};` : '';
  const text = `${prefix}${question}${command.text} <<\n${payload.join('\n')}\n`;
  return { text, commands: [command], identity };
}
