import type { Backend, Server } from '../protocol/plan.ts';
import { isSafeToken } from '../protocol/safe-token.ts';
import type { DiffContext } from './diff-context.ts';
import { sameKeywords, sameServer } from './same-record.ts';
import {
  addServer,
  addressObstacle,
  deleteServer,
  effectiveKeywords,
  enableServer,
  isDynamicBalance,
  serverObstacle,
  type ServerSetting,
} from './server-add.ts';

/** Rule R4, the servers of one backend. New ones come first, departing ones go last: capacity never dips in between. */
export function diffServers(
  context: DiffContext,
  setting: ServerSetting,
  before: Backend,
  after: Backend,
): void {
  const { draft } = context;
  const held = new Map(before.servers.map((server) => [server.name, server]));
  for (const server of after.servers) {
    const known = held.get(server.name);
    held.delete(server.name);
    if (known === undefined) {
      const obstacle = serverObstacle(context, setting, server);
      if (obstacle === undefined)
        draft.emit('serverAdd', ...addServer(setting, server, context.capabilities));
      else draft.reload(`backend ${after.name}: server ${server.name}: new, and ${obstacle}`);
    } else if (!sameServer(known, server)) changeServer(context, setting, known, server);
  }
  for (const server of held.values()) removeServer(context, setting, server);
  if (setting.balance.startsWith('first') && !keepsOrder(before.servers, after.servers))
    draft.reload(`backend ${after.name}: "balance first" follows the order of servers, which changed`);
}

/** What of a server differs is changed by a command each; what HAProxy cannot alter is a reason for a reload. */
export function changeServer(
  context: Pick<DiffContext, 'draft'>,
  setting: ServerSetting,
  before: Server,
  after: Server,
): void {
  const { draft } = context;
  const backend = setting.backend.name;
  const server = after.name;
  const refuse = (reason: string) => draft.reload(`backend ${backend}: server ${server}: ${reason}`);
  if (!isSafeToken(backend) || !isSafeToken(server)) {
    refuse('changed, and its name cannot stand in a runtime command');
    return;
  }
  if (before.guid !== after.guid) refuse('"guid" changed, which HAProxy cannot alter at runtime');
  for (const name of changedKeywords(before, after))
    refuse(`keyword "${name}" changed, which HAProxy cannot alter at runtime`);

  if (before.address !== after.address || before.port !== after.port) {
    const { address, port } = after;
    const obstacle = addressObstacle(after) ?? addressObstacle(before);
    if (obstacle === undefined)
      draft.emit('serverUpdate', { kind: 'server_set_addr', backend, server, address, port });
    else refuse(`moved, and ${obstacle}`);
  }

  const weight = weightOf(setting, after);
  if (before.weight !== after.weight && weight !== weightOf(setting, before)) {
    if (weight === undefined || !Number.isInteger(weight) || weight < 0 || weight > 256)
      refuse('its new weight is not known');
    else if (weight !== 0 && !isDynamicBalance(setting.balance, setting.hashType))
      refuse(`"weight" changed, and "balance ${setting.balance}" does not follow it at runtime`);
    else
      draft.emit(weight === 0 ? 'serverDrain' : 'serverUpdate', {
        kind: 'server_set_weight',
        backend,
        server,
        weight,
      });
  }

  const disabled = after.disabled === true;
  if ((before.disabled === true) !== disabled) {
    if (disabled) draft.emit('serverDrain', { kind: 'server_disable', backend, server });
    else draft.emit('serverUpdate', enableServer(backend, server, isChecked(setting, after)));
  }
}

function removeServer({ draft, capabilities }: DiffContext, setting: ServerSetting, server: Server): void {
  const backend = setting.backend.name;
  const refuse = (reason: string) =>
    draft.reload(`backend ${backend}: server ${server.name}: removed, and ${reason}`);
  if (!capabilities.dynamicServers)
    refuse(`HAProxy ${capabilities.version ?? '?'} cannot delete servers at runtime`);
  else if (!isSafeToken(backend) || !isSafeToken(server.name))
    refuse('its name cannot stand in a runtime command');
  else draft.emit('serverDelete', ...deleteServer(setting, server, capabilities));
}

/** The weight in effect: 1 where nothing says another. Undefined when the profile's `default-server` is unknown. */
function weightOf(setting: ServerSetting, server: Server): number | undefined {
  if (server.weight !== undefined) return server.weight;
  const keywords = effectiveKeywords(setting, server);
  if (keywords === undefined) return undefined;
  return Number(keywords.find((keyword) => keyword.name === 'weight')?.args[0] ?? 1);
}

/** Unknown defaults may hold a check, and `enable health` on a server without one is refused without harm. */
function isChecked(setting: ServerSetting, server: Server): boolean {
  return effectiveKeywords(setting, server)?.some((keyword) => keyword.name === 'check') ?? false;
}

function changedKeywords(before: Server, after: Server): readonly string[] {
  if (sameKeywords(before.extra, after.extra)) return [];
  const uses = (server: Server, name: string) => server.extra.filter((keyword) => keyword.name === name);
  const names = new Set([...before.extra, ...after.extra].map((keyword) => keyword.name));
  return [...names].filter((name) => !sameKeywords(uses(before, name), uses(after, name)));
}

/** Whether what stayed is in the same order and what is new comes after it. */
export function keepsOrder(before: readonly Server[], after: readonly Server[]): boolean {
  const names = new Set(after.map((server) => server.name));
  const kept = before.filter((server) => names.has(server.name));
  return kept.every((server, at) => after[at]?.name === server.name);
}
