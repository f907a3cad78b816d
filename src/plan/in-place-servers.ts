import type { Backend, Server } from '../protocol/plan.ts';
import type { DiffContext } from './diff-context.ts';
import { changeServer, keepsOrder } from './diff-servers.ts';
import { createDraft } from './draft.ts';
import { sameBackend, sameServer } from './same-record.ts';
import { addServer, serverObstacle } from './server-add.ts';
import { serverSetting } from './server-setting.ts';

/**
 * Brings the servers of a backend as near to `after` as the worker's own settings of the backend allow, and gives the
 * backend as it is then. Servers that cannot be added stay out, and then none is taken out either, so that there are never fewer than
 * before.
 */
export function serversInPlace(context: DiffContext, before: Backend, after: Backend): Backend {
  const { draft, worker, capabilities } = context;
  const setting = serverSetting(worker, before);
  const held = new Map(before.servers.map((server) => [server.name, server]));
  const isOrdered = setting.balance.startsWith('first') && !keepsOrder(before.servers, after.servers);
  let canAddAll = true;
  const added: Server[] = [];
  for (const server of after.servers) {
    const known = held.get(server.name);
    if (known !== undefined) continue;
    if (isOrdered || serverObstacle(context, setting, server) !== undefined) canAddAll = false;
    else {
      draft.emit('serverAdd', ...addServer(setting, server, capabilities));
      added.push(server);
    }
  }
  const wanted = new Map(after.servers.map((server) => [server.name, server]));
  const kept = before.servers.map((server) => {
    const now = wanted.get(server.name);
    if (now !== undefined) return changed(context, setting, server, now);
    if (!canAddAll || server.disabled === true) return server;
    draft.emit('serverDelete', { kind: 'server_disable', backend: before.name, server: server.name });
    return { ...server, disabled: true };
  });
  const result = { ...before, servers: inOrderOf(after, [...kept, ...added]) };
  if (sameBackend(result, after)) return after;
  // Its lines in the configuration are neither the old nor the new ones.
  return { ...result, text: '' };
}

/** The server as it is after what can be changed at once; all of what differs or nothing. */
function changed(
  context: DiffContext,
  setting: ReturnType<typeof serverSetting>,
  before: Server,
  after: Server,
): Server {
  if (sameServer(before, after)) return after;
  const own = createDraft();
  changeServer({ ...context, draft: own }, setting, before, after);
  if (own.reasonCount() > 0) return before;
  context.draft.take(own);
  return after;
}

/** HAProxy's own order does not matter here; that of the plan makes equal backends equal. */
function inOrderOf(after: Backend, servers: readonly Server[]): readonly Server[] {
  const place = new Map(after.servers.map(({ name }, at) => [name, at]));
  const rank = ({ name }: Server) => place.get(name) ?? after.servers.length;
  return [...servers].sort((a, b) => rank(a) - rank(b));
}
