import { limits } from '../../protocol/limits.ts';
import { cliRequest } from './cli-request.ts';
import type { DeleteTarget } from './command.ts';
import { parseReplies } from './parse-replies.ts';

/** `busy`: something still uses it, try later. `impossible`: trying again cannot help. */
export type DeleteOutcome = 'gone' | 'busy' | 'impossible';

export interface DeleteAttempt {
  readonly target: DeleteTarget;
  /** End what still uses the server first. */
  readonly cutOff: boolean;
  /** Tries so far, this one included. */
  readonly tries: number;
}

/**
 * One try each to delete servers in maintenance and unpublished backends, servers first; outcomes in the order of the
 * attempts. `del` itself is the check on every HAProxy line, so nothing waits inside HAProxy (and 2.6 has no `wait`). A
 * target that is not there counts as gone: that is what was wanted.
 *
 * @param line of HAProxy: `2.6`
 */
export async function attemptDeletes(
  socket: string,
  line: string,
  attempts: readonly DeleteAttempt[],
): Promise<readonly DeleteOutcome[]> {
  const outcomes = new Map<DeleteAttempt, DeleteOutcome>();
  const servers = attempts.filter(({ target }) => target.kind === 'server');
  const cutOff = servers.filter((attempt) => attempt.cutOff);
  for (const chunk of chunks(cutOff))
    await ask(
      socket,
      chunk.flatMap((attempt) => cutOffTexts(attempt, line)),
    );
  for (const chunk of chunks(servers)) {
    const replies = await ask(socket, chunk.map(deleteText));
    const countable = replies.length === chunk.length;
    chunk.forEach((attempt, index) =>
      outcomes.set(attempt, countable ? judge(replies[index] ?? '') : 'busy'),
    );
  }
  for (const attempt of attempts) {
    if (attempt.target.kind !== 'backend') continue;
    const replies = await ask(socket, [deleteText(attempt)]);
    outcomes.set(attempt, judge(replies.join('\n')));
  }
  return attempts.map((attempt) => outcomes.get(attempt) ?? 'busy');
}

function deleteText({ target }: DeleteAttempt): string {
  return target.kind === 'server'
    ? `del server ${target.backend}/${target.server}`
    : `del backend ${target.backend}`;
}

/**
 * On 2.6 a connection that becomes idle after its server went into maintenance holds on to the server until somebody uses
 * or closes it, which nobody does. Idle connections are dropped when the address changes: to one reserved for documentation
 * (RFC 5737), another port each time.
 */
function cutOffTexts({ target, tries }: DeleteAttempt, line: string): string[] {
  if (target.kind !== 'server') return [];
  const server = `${target.backend}/${target.server}`;
  const shutdown = `shutdown sessions server ${server}`;
  return line === '2.6'
    ? [shutdown, `set server ${server} addr 192.0.2.1 port ${String(tries)}`]
    : [shutdown];
}

const perLine = 32;

function chunks(attempts: readonly DeleteAttempt[]): DeleteAttempt[][] {
  return Array.from({ length: Math.ceil(attempts.length / perLine) }, (_, index) =>
    attempts.slice(index * perLine, (index + 1) * perLine),
  );
}

/** `del` always answers with a message, so the answers are the messages: some end without a blank line. */
async function ask(socket: string, commands: readonly string[]): Promise<string[]> {
  const answer = await cliRequest(socket, `set severity-output number;${commands.join(';')}`, {
    timeoutMs: limits.cliRoundTripMs,
  });
  return parseReplies(answer)
    .filter((reply) => reply.severity !== undefined)
    .map((reply) => reply.text);
}

/**
 * 3.4 may leave out `Backend deleted.` when its message buffer is full; the next try then finds no such backend. What is
 * neither a success nor a passing condition (references from other sections, not in maintenance) never passes by waiting.
 */
function judge(reply: string): DeleteOutcome {
  if (/Server deleted|Backend deleted|No such (server|backend)/.test(reply)) return 'gone';
  if (/still has|Only a backend without server|^$/.test(reply)) return 'busy';
  return 'impossible';
}
