import type { CliSession } from './cli-session.ts';
import { parseBackendSessions } from './parse-backend-sessions.ts';
import { parseServerConnections } from './parse-server-connections.ts';
import { type DeleteOutcome, deleteOutcome } from './delete-outcome.ts';
import {
  deleteCommand,
  deleteKey,
  type DeleteTarget,
  type ServerTarget,
  stopText,
} from './pending-delete.ts';

export interface DeleteAttempt {
  readonly target: DeleteTarget;
  /** End what still uses the server first. */
  readonly cutOff: boolean;
  /** Tries so far, this one included. */
  readonly tries: number;
}

type ServerAttempt = DeleteAttempt & { readonly target: ServerTarget };

/**
 * One try each to delete servers in maintenance and unpublished backends, servers first; outcomes in the order of the
 * attempts. `del` itself is the check on every HAProxy line, so nothing waits inside HAProxy (and 2.6 has no `wait`). A
 * target that is not there counts as gone: that is what was wanted. Sessions are ended only where `cutOff` says so.
 *
 * Servers of a backend that goes itself are put into maintenance here, once the backend has no requests any more: those that wait in it, for a connection to a
 * server, for an answer about them or for another try, would have none to go to.
 *
 * @param leaving backends that go, unpublished
 * @param cli connection to the worker that the targets belong to
 * @param line of HAProxy: `2.6`
 */
export async function attemptDeletes(
  cli: CliSession,
  line: string,
  attempts: readonly DeleteAttempt[],
  leaving: ReadonlySet<string>,
): Promise<readonly DeleteOutcome[]> {
  const outcomes = new Map<DeleteAttempt, DeleteOutcome>();
  const waitedIn = await backendsInUse(cli, attempts.filter(isServer), leaving);
  const servers = attempts
    .filter(isServer)
    .filter(({ target, cutOff }) => cutOff || !waitedIn.has(target.backend));
  for (const chunk of chunks(servers.filter(({ target }) => leaving.has(target.backend))))
    await cli.ask(chunk.map(({ target }) => stopText(target)));
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

/** Those of the leaving backends of some servers that have requests yet. */
async function backendsInUse(
  cli: CliSession,
  servers: readonly ServerAttempt[],
  leaving: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const names = [...new Set(servers.map(({ target }) => target.backend))].filter((name) => leaving.has(name));
  const inUse = new Set<string>();
  for (const chunk of chunks(names)) {
    const answers = await cli.ask(chunk.map((name) => `show stat ${name} 2 -1`));
    chunk.forEach((name, index) => {
      if ((parseBackendSessions(answers[index] ?? '') ?? 0) > 0) inUse.add(name);
    });
  }
  return inUse;
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
