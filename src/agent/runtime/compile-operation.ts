import net from 'node:net';
import type { Operation } from '../../protocol/operation.ts';
import type { Keyword } from '../../protocol/plan.ts';
import { cliWord, isSafeMapKey, isSafeMapValue, isSafeToken } from '../../protocol/safe-token.ts';
import type { CompiledOperation, RuntimeCommand, TlsStore } from './command.ts';
import { compileCrtListChange } from './compile-crt-list.ts';
import { executableKinds } from './executable-kinds.ts';
import { isProxyName, isRuntimePath } from './names.ts';
import { operationShapeProblem } from './operation-shape.ts';
import type { DeleteTarget } from './pending-delete.ts';

export type Compilation =
  | { readonly ok: true; readonly compiled: CompiledOperation }
  /** The agent cannot run it on this HAProxy; the caller reloads instead. */
  | { readonly ok: false; readonly reason: string };

const maxCommandWords = 64;

/**
 * One operation as HAProxy runtime commands (management.txt of the lines 2.6 to 3.4). Pure. Every word is checked here,
 * so that nothing a controller sends can end a command, start another or a payload.
 */
export function compileOperation(operation: Operation, version: string): Compilation {
  const problem = operationShapeProblem(operation);
  if (problem !== undefined) return refuse(operation, problem);
  if (!executableKinds(version).includes(operation.kind))
    return refuse(operation, `the agent does not execute it on HAProxy ${version}`);
  if ('backend' in operation && !isProxyName(operation.backend))
    return refuse(operation, 'backend is not a name');
  if ('server' in operation && !isProxyName(operation.server))
    return refuse(operation, 'server is not a name');
  if ('path' in operation && !isRuntimePath(operation.path))
    return refuse(operation, 'path is not one of a file, or not a safe word');
  switch (operation.kind) {
    case 'backend_add':
      return compileBackendAdd(operation);
    case 'backend_publish':
      return one({ text: `publish backend ${operation.backend}`, success: ['Backend published'] });
    case 'backend_unpublish':
      return one({ text: `unpublish backend ${operation.backend}`, success: ['Backend unpublished'] });
    case 'backend_del':
      return deferred({
        kind: 'backend',
        backend: operation.backend,
        ...(operation.profile !== undefined && { profile: operation.profile }),
        ...(operation.mode !== undefined && { mode: operation.mode }),
        ...(operation.guid !== undefined && { guid: operation.guid }),
      });
    case 'wait_be_removable':
    case 'wait_srv_removable':
      return { ok: true, compiled: { kind: 'none' } };
    case 'server_add':
      return compileServerAdd(operation, version);
    case 'server_enable':
    case 'server_disable':
    case 'server_del':
    case 'server_set_addr':
    case 'server_set_weight':
    case 'server_set_state':
      return compileServerChange(operation);
    case 'map_add':
    case 'map_set':
    case 'map_del':
      return compileMapChange(operation);
    case 'map_replace':
      return { ok: true, compiled: { kind: 'map_replace', path: operation.path } };
    case 'cert_set':
    case 'cert_new':
    case 'ca_set':
    case 'ca_new':
    case 'crl_set':
    case 'crl_new':
      return { ok: true, compiled: tlsFile(operation) };
    case 'crtlist_add':
    case 'crtlist_del': {
      const change = compileCrtListChange(operation);
      return typeof change === 'string' ? refuse(operation, change) : one(change);
    }
  }
}

function compileBackendAdd(operation: Extract<Operation, { kind: 'backend_add' }>): Compilation {
  const { backend, profile, mode, guid } = operation;
  if (!isProxyName(profile)) return refuse(operation, 'profile is not a name');
  if (guid !== undefined && !isSafeToken(guid)) return refuse(operation, 'guid is not a safe word');
  const suffix = guid === undefined ? '' : ` guid ${guid}`;
  const add: RuntimeCommand = {
    text: `add backend ${backend} from ${profile} mode ${mode}${suffix}`,
    success: ['New backend registered'],
  };
  const creates: DeleteTarget = {
    kind: 'backend',
    backend,
    profile,
    mode,
    ...(guid !== undefined && { guid }),
  };
  return { ok: true, compiled: { kind: 'commands', commands: [add], creates, revive: [] } };
}

function compileServerAdd(
  operation: Extract<Operation, { kind: 'server_add' }>,
  version: string,
): Compilation {
  const { backend, server, address, port, keywords } = operation;
  const target = endpoint(address, port);
  if (target === undefined) return refuse(operation, 'address and port are not a literal IP and a port');
  if (version === '2.6' && keywords.some((keyword) => keyword.name === 'guid'))
    return refuse(operation, 'HAProxy 2.6 has no guid');
  const words = keywords.flatMap((keyword) => [keyword.name, ...keyword.args]);
  if (!words.every(isSafeToken)) return refuse(operation, 'a keyword is not a safe word');
  if (words.length + 4 > maxCommandWords) return refuse(operation, 'too many keywords');
  const add: RuntimeCommand = {
    text: ['add', 'server', `${backend}/${server}`, target, ...words].join(' '),
    success: ['New server registered'],
  };
  const revive = [
    setAddress(operation),
    silent(`set server ${backend}/${server} weight ${weightOf(keywords)}`),
  ];
  const creates: DeleteTarget = { kind: 'server', backend, server, keywords };
  return { ok: true, compiled: { kind: 'commands', commands: [add], creates, revive } };
}

/** Without the keyword a server weighs 1. */
function weightOf(keywords: readonly Keyword[]): string {
  return keywords.findLast(({ name }) => name === 'weight')?.args[0] ?? '1';
}

function setAddress({
  backend,
  server,
  address,
  port,
}: Extract<Operation, { kind: 'server_add' | 'server_set_addr' }>): RuntimeCommand {
  return {
    text: `set server ${backend}/${server} addr ${address} port ${String(port)}`,
    success: ['IP changed', 'port changed', 'no need to change', 'nothing changed'],
  };
}

function tlsFile({
  kind,
  path,
}: Extract<
  Operation,
  { kind: 'cert_set' | 'cert_new' | 'ca_set' | 'ca_new' | 'crl_set' | 'crl_new' }
>): CompiledOperation {
  const stores = { cert: 'cert', ca: 'ca-file', crl: 'crl-file' } as const satisfies Record<string, TlsStore>;
  const create = kind.endsWith('_new');
  const store = kind.startsWith('cert') ? stores.cert : kind.startsWith('ca') ? stores.ca : stores.crl;
  return { kind: 'tls_file', path, store, create };
}

type ServerChange = Exclude<
  Extract<Operation, { server: string }>,
  { kind: 'server_add' | 'wait_srv_removable' }
>;

function compileServerChange(operation: ServerChange): Compilation {
  const name = `${operation.backend}/${operation.server}`;
  switch (operation.kind) {
    case 'server_enable': {
      const enable: RuntimeCommand = { text: `enable server ${name}`, success: 'silent' };
      const health: RuntimeCommand = { text: `enable health ${name}`, success: 'silent' };
      return {
        ok: true,
        compiled: { kind: 'commands', commands: operation.health === true ? [health, enable] : [enable] },
      };
    }
    case 'server_del':
      return deferred({
        kind: 'server',
        backend: operation.backend,
        server: operation.server,
        ...(operation.keywords !== undefined && { keywords: operation.keywords }),
      });
    case 'server_disable':
      return one({ text: `disable server ${name}`, success: 'silent' });
    case 'server_set_addr': {
      if (endpoint(operation.address, operation.port) === undefined)
        return refuse(operation, 'address and port are not a literal IP and a port');
      return one(setAddress(operation));
    }
    case 'server_set_weight':
      if (operation.weight < 0 || operation.weight > 256)
        return refuse(operation, 'weight is not between 0 and 256');
      return one({ text: `set server ${name} weight ${operation.weight}`, success: 'silent' });
    case 'server_set_state':
      return one({ text: `set server ${name} state ${operation.state}`, success: 'silent' });
  }
}

function compileMapChange(
  operation: Extract<Operation, { kind: 'map_add' | 'map_set' | 'map_del' }>,
): Compilation {
  const { path, key } = operation;
  if (!isSafeMapKey(key)) return refuse(operation, 'key is not a word of a map');
  const where = `${path} ${cliWord(key)}`;
  if (operation.kind === 'map_del')
    return one({ text: `del map ${where}`, success: 'silent', repeatUntil: 'Key not found' });
  const { value } = operation;
  if (!isSafeMapValue(value)) return refuse(operation, 'value is not a line of text');
  const verb = operation.kind === 'map_add' ? 'add' : 'set';
  return one({ text: `${verb} map ${where} ${cliWord(value)}`, success: 'silent' });
}

/** `address:port` as HAProxy reads it, IPv6 in brackets; undefined unless a literal IP and a port of 1–65535. */
function endpoint(address: string, port: number): string | undefined {
  const family = net.isIP(address);
  if (family === 0 || !isSafeToken(address) || port < 1 || port > 65535) return undefined;
  return family === 6 ? `[${address}]:${String(port)}` : `${address}:${String(port)}`;
}

function deferred(target: DeleteTarget): Compilation {
  return { ok: true, compiled: { kind: 'deferred', target } };
}

function one(command: RuntimeCommand): Compilation {
  return { ok: true, compiled: { kind: 'commands', commands: [command] } };
}

function silent(text: string): RuntimeCommand {
  return { text, success: 'silent' };
}

/** Names the kind and field, never a value: that is what was not to be trusted. */
function refuse(operation: Operation, why: string): Compilation {
  const subject = 'server' in operation ? 'server' : 'backend' in operation ? 'backend' : 'file';
  return { ok: false, reason: `${operation.kind} (${subject}): ${why}` };
}
