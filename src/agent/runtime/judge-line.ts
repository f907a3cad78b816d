import { limits } from '../../protocol/limits.ts';
import type { CommandLine } from './batch-commands.ts';
import { cliRequest } from './cli-request.ts';
import type { RuntimeCommand } from './command.ts';
import { parseReplies, type Reply } from './parse-replies.ts';

/** The command that was not accepted. */
export interface Refusal {
  readonly command: RuntimeCommand;
  /** What HAProxy said; undefined: nothing. It ended in between, and whether the command was executed cannot be told. */
  readonly output: string | undefined;
}

/**
 * Compares one line's answers with what its commands demand; the first that is not met. Repeats what must be repeated, by requests of
 * its own, whose errors it passes on.
 */
export async function judgeLine(
  socket: string,
  line: CommandLine,
  answer: string,
): Promise<Refusal | undefined> {
  const replies = parseReplies(answer);
  let at = line.identity === 'first' ? 2 : 1;
  for (const command of line.commands) {
    const reply = replies[at++];
    if (reply !== undefined) command.heard?.(reply.text);
    if (command.oldestOf?.test(reply?.text ?? '') === true) {
      const refusal = await judgeOldest(socket, command, command.oldestOf);
      if (refusal !== undefined) return refusal;
      continue;
    }
    if (command.repeatUntil === undefined) {
      if (command.success === 'any') continue;
      if (reply === undefined || !isAccepted(command, reply)) return { command, output: reply?.text };
      continue;
    }
    const again = replies[at++];
    const refusal = await judgeRepeated(socket, command, command.repeatUntil, [reply, again]);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Asks anew first: what was answered may be out of date by what another command of the line has changed. */
async function judgeOldest(
  socket: string,
  command: RuntimeCommand,
  several: RegExp,
): Promise<Refusal | undefined> {
  const ask = async (text: string) =>
    parseReplies(
      await cliRequest(socket, `set severity-output number;${text}`, { timeoutMs: limits.cliRoundTripMs }),
    )[1];
  const first = await ask(command.text);
  const numbers = several
    .exec(first?.text ?? '')?.[1]
    ?.split(',')
    .map(Number);
  const reply = numbers === undefined ? first : await ask(`${command.text}:${String(Math.min(...numbers))}`);
  return reply === undefined || !isAccepted(command, reply) ? { command, output: reply?.text } : undefined;
}

async function judgeRepeated(
  socket: string,
  command: RuntimeCommand,
  end: string,
  replies: readonly (Reply | undefined)[],
): Promise<Refusal | undefined> {
  const ended = (reply: Reply | undefined) => reply?.text.includes(end) === true;
  for (const reply of replies) {
    if (ended(reply)) return undefined;
    if (reply === undefined || !isAccepted(command, reply)) return { command, output: reply?.text };
  }
  for (let attempt = replies.length; attempt < limits.mapDeleteRepeats; attempt++) {
    const answer = await cliRequest(socket, `set severity-output number;${command.text}`, {
      timeoutMs: limits.cliRoundTripMs,
    });
    const reply = parseReplies(answer)[1];
    if (ended(reply)) return undefined;
    if (reply === undefined || !isAccepted(command, reply)) return { command, output: reply?.text };
  }
  return { command, output: `still there after ${String(limits.mapDeleteRepeats)} deletes` };
}

/** Severities 0 to 3 are errors, whatever the words. */
export function isAccepted(command: RuntimeCommand, reply: Reply): boolean {
  const { success } = command;
  if (reply.severity !== undefined && reply.severity <= 3) return false;
  if (success === 'silent') return reply.text === '';
  if (success === 'any') return true;
  if (success === 'finished') return reply.text === 'Success!' || reply.text.endsWith('\nSuccess!');
  return success.some((text) => reply.text.includes(text));
}
