import { diffOrderedMaps, getEntry } from '../lib/ordered-map.ts';
import type { Slices } from '../lib/slices.ts';
import type { Backend } from '../protocol/plan.ts';
import { isSafeToken } from '../protocol/safe-token.ts';
import type { DiffContext } from './diff-context.ts';
import { diffServers } from './diff-servers.ts';
import { sameBackend, sameKeywords } from './same-record.ts';
import {
  addServer,
  deleteServer,
  effectiveKeywords,
  serverObstacle,
  type ServerSetting,
} from './server-add.ts';
import { serverSetting } from './server-setting.ts';
import { profileFacts } from './profile-facts.ts';

/** Backends between two pauses. */
const batch = 64;

/** Rules R2, R3 and R4 over all backends. */
export function* diffBackends(context: DiffContext): Slices<void> {
  let count = 0;
  for (const { before, after } of diffOrderedMaps(context.worker.backends, context.next.backends)) {
    if (before === undefined) {
      if (after !== undefined) addBackend(context, after);
    } else if (after === undefined) removeBackend(context, before);
    else changeBackend(context, before, after);
    if (++count % batch === 0) yield;
  }
}

/** R2: `add backend … from PROFILE`, its servers, `publish backend`. */
function addBackend(context: DiffContext, backend: Backend): void {
  const { draft, capabilities } = context;
  const setting = serverSetting(context.next, backend);
  const obstacle = backendObstacle(context, backend, setting);
  if (obstacle !== undefined) {
    draft.reload(`backend ${backend.name}: new, and ${obstacle}`);
    return;
  }
  const guid = backend.guid !== undefined && capabilities.guid ? { guid: backend.guid } : {};
  const { name, profile, mode } = backend;
  draft.emit('backendAdd', { kind: 'backend_add', backend: name, profile, mode, ...guid });
  for (const server of backend.servers) draft.emit('backendAdd', ...addServer(setting, server, capabilities));
  draft.emit('backendPublish', { kind: 'backend_publish', backend: name });
}

function backendObstacle(context: DiffContext, backend: Backend, setting: ServerSetting): string | undefined {
  const { capabilities, worker, profiles } = context;
  const { name, profile, guid } = backend;
  if (!capabilities.dynamicBackends)
    return `HAProxy ${capabilities.version ?? '?'} cannot add backends at runtime`;
  if (backend.shape !== 'dynamic') return backend.shapeReason ?? 'its body has more than servers';
  if (profile === '' || (getEntry(profiles, profile) ?? getEntry(worker.profiles, profile)) === undefined)
    return `the worker has no profile "${profile}"`;
  if (![name, profile, guid ?? '-'].every(isSafeToken))
    return 'its name, profile or guid cannot stand in a runtime command';
  const inherited = profileFacts(context.next, profile);
  for (const directive of ['balance', 'hashType'] as const)
    if (backend[directive] !== undefined && backend[directive] !== inherited[directive])
      return `its own "${directive === 'balance' ? 'balance' : 'hash-type'}" is not that of profile ${profile}`;
  for (const server of backend.servers) {
    const reason = serverObstacle(context, setting, server);
    if (reason !== undefined) return `server ${server.name}: ${reason}`;
    if (effectiveKeywords(setting, server)?.some((keyword) => keyword.name === 'minconn') === true)
      return `server ${server.name}: "minconn" goes by "fullconn", which HAProxy computes only at start`;
  }
  return undefined;
}

/** R3: `unpublish backend`, its servers into maintenance and away, `del backend`. */
function removeBackend(context: DiffContext, backend: Backend): void {
  const { draft, capabilities } = context;
  const { name } = backend;
  const refuse = (reason: string) => draft.reload(`backend ${name}: removed, and ${reason}`);
  if (!capabilities.dynamicBackends)
    refuse(`HAProxy ${capabilities.version ?? '?'} cannot delete backends at runtime`);
  else if (backend.shape !== 'dynamic') refuse(backend.shapeReason ?? 'its body has more than servers');
  else if (!isSafeToken(name) || !backend.servers.every((server) => isSafeToken(server.name)))
    refuse('its name or a server name cannot stand in a runtime command');
  else {
    draft.emit('backendUnpublish', { kind: 'backend_unpublish', backend: name });
    const setting = serverSetting(context.worker, backend);
    for (const server of backend.servers)
      draft.emit('serverDelete', ...deleteServer(setting, server, capabilities));
    const { profile, mode, guid } = backend;
    const like = { profile, mode, ...(guid !== undefined && { guid }) };
    draft.emit('backendDelete', { kind: 'backend_del', backend: name, ...like });
  }
}

/** R4: what HAProxy cannot alter at runtime needs a reload; servers are compared one by one. */
function changeBackend(context: DiffContext, before: Backend, after: Backend): void {
  const { draft } = context;
  if (sameBackend(before, after)) {
    // A backend that was changed in place has no text.
    if (
      before.text !== '' &&
      before.text !== after.text &&
      withoutComments(before.text) !== withoutComments(after.text)
    )
      draft.reload(`backend ${after.name}: unexplained text change`);
    return;
  }
  const fixed: readonly (readonly [string, boolean])[] = [
    ['profile', before.profile !== after.profile],
    ['mode', before.mode !== after.mode],
    ['guid', before.guid !== after.guid],
    ['balance', before.balance !== after.balance],
    ['hash-type', before.hashType !== after.hashType],
    ['default-server', !sameKeywords(before.defaultServer, after.defaultServer)],
  ];
  const altered = fixed.filter(([, differs]) => differs).map(([directive]) => directive);
  for (const directive of altered)
    draft.reload(`backend ${after.name}: "${directive}" changed, which HAProxy cannot alter at runtime`);
  const body = before.bodyDigest !== after.bodyDigest || before.shape !== after.shape;
  if (body) draft.reload(`backend ${after.name}: its body changed${because(after.shapeReason)}`);
  if (altered.length === 0 && !body) diffServers(context, serverSetting(context.next, after), before, after);
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : ` (${reason})`;
}

function withoutComments(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join('\n');
}
