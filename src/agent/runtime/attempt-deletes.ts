import type { CliSession } from './cli-session.ts';
import { parseServerConnections } from './parse-server-connections.ts';
import { type DeleteOutcome, deleteOutcome } from './delete-outcome.ts';
import { deleteCommand, deleteKey, type DeleteTarget } from './pending-delete.ts';

export interface DeleteAttempt {
  readonly target: DeleteTarget;
  /** End what still uses the server first. */
  readonly cutOff: boolean;
  /** Tries so far, this one included. */
  readonly tries: number;
}

type ServerAttempt = DeleteAttempt & { readonly target: Extract<DeleteTarget, { kind: 'server' }> };

/**
 * One try each to delete servers in maintenance and unpublished backends, servers first; outcomes in the order of the
 * attempts. `del` itself is the check on every HAProxy line, so nothing waits inside HAProxy (and 2.6 has no `wait`). A
 * target that is not there counts as gone: that is what was wanted. Sessions are ended only where `cutOff` says so.
 *
 * @param cli connection to the worker that the targets belong to
 * @param line of HAProxy: `2.6`
 */
export async function attemptDeletes(
  cli: CliSession,
  line: string,
  attempts: readonly DeleteAttempt[],
): Promise<readonly DeleteOutcome[]> {
  const outcomes = new Map<DeleteAttempt, DeleteOutcome>();
  const servers = attempts.filter(isServer);
  for (const chunk of chunks(servers.filter((attempt) => attempt.cutOff)))
    await cli.ask(chunk.map(shutdownText));
  await deleteServers(cli, servers, outcomes);
  const busy = servers.filter((attempt) => outcomes.get(attempt) === 'busy');
  if (line === '2.6' && busy.length > 0) {
    await deleteServers(cli, await dropIdleConnections(cli, busy), outcomes);
  }
  for (const attempt of attempts) {
    if (attempt.target.kind !== 'backend') continue;
    const [reply = ''] = await cli.ask([deleteCommand(attempt.target)]);
    outcomes.set(attempt, deleteOutcome(reply));
  }
  return attempts.map((attempt) => outcomes.get(attempt) ?? 'busy');
}

function isServer(attempt: DeleteAttempt): attempt is ServerAttempt {
  return attempt.target.kind === 'server';
}

async function deleteServers(
  cli: CliSession,
  servers: readonly ServerAttempt[],
  outcomes: Map<DeleteAttempt, DeleteOutcome>,
): Promise<void> {
  for (const chunk of chunks(servers)) {
    const replies = await cli.ask(chunk.map(({ target }) => deleteCommand(target)));
    chunk.forEach((attempt, index) => outcomes.set(attempt, deleteOutcome(replies[index] ?? '')));
  }
}

function nameOf({ target }: ServerAttempt): string {
  return deleteKey(target);
}

function shutdownText(attempt: ServerAttempt): string {
  return `shutdown sessions server ${nameOf(attempt)}`;
}

/**
 * On 2.6 a connection that becomes idle after its server went into maintenance holds on to the server until somebody uses
 * or closes it, which nobody does. Idle connections are dropped when the address changes: to one reserved for documentation
 * (RFC 5737), another port each time. A server whose connections carry something is left alone, unless it is cut off.
 */
async function dropIdleConnections(
  cli: CliSession,
  busy: readonly ServerAttempt[],
): Promise<readonly ServerAttempt[]> {
  const backends = [...new Set(busy.map(({ target }) => target.backend))];
  const idle = new Set<string>();
  for (const backend of backends) {
    const [answer = ''] = await cli.ask([`show servers conn ${backend}`]);
    for (const { server, used, idle: idling } of parseServerConnections(answer))
      if (used === 0 && idling > 0) idle.add(server);
  }
  const droppable = busy.filter((attempt) => attempt.cutOff || idle.has(nameOf(attempt)));
  for (const chunk of chunks(droppable))
    await cli.ask(
      chunk.map(
        (attempt) => `set server ${nameOf(attempt)} addr ${nowhere} port ${String(portOf(attempt.tries))}`,
      ),
    );
  return droppable;
}

const nowhere = '192.0.2.1';

function portOf(tries: number): number {
  return 1 + (tries % 65_535);
}

/** Commands sent before their answers are read. */
const atOnce = 32;

function chunks<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / atOnce) }, (_, index) =>
    items.slice(index * atOnce, (index + 1) * atOnce),
  );
}
