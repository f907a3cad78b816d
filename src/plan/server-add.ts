import { isIP } from 'node:net';
import type { Operation } from '../protocol/operation.ts';
import type { Backend, Keyword, Server } from '../protocol/plan.ts';
import { isSafeToken } from '../protocol/safe-token.ts';
import type { DiffContext } from './diff-context.ts';
import { keywordObstacle, mergeKeywords } from './server-keywords.ts';

/** What a server of a backend inherits and lives under. */
export interface ServerSetting {
  readonly backend: Backend;
  /** In effect: the backend's own or its profile's. */
  readonly balance: string;
  readonly hashType: string;
  /** `default-server` of the profile. */
  readonly inherited: readonly Keyword[] | 'unknown';
}

const dynamicAlgorithms = new Set(['roundrobin', 'leastconn', 'random', 'first']);
const hashAlgorithms = new Set(['source', 'uri', 'url_param', 'hdr', 'rdp-cookie', 'hash']);

/** Whether servers come, go and change weight at runtime: so it is with every algorithm that is not a fixed table. */
export function isDynamicBalance(balance: string, hashType: string): boolean {
  const algorithm = /^[\w-]+/.exec(balance)?.[0] ?? '';
  return (
    dynamicAlgorithms.has(algorithm) || (hashAlgorithms.has(algorithm) && /^consistent(\s|$)/.test(hashType))
  );
}

/** All that a server has in effect; undefined when the profile's `default-server` is unknown. */
export function effectiveKeywords(setting: ServerSetting, server: Server): readonly Keyword[] | undefined {
  if (setting.inherited === 'unknown') return undefined;
  const keywords = mergeKeywords(
    mergeKeywords(setting.inherited, setting.backend.defaultServer),
    server.extra,
  );
  return server.weight === undefined
    ? keywords
    : mergeKeywords(keywords, [{ name: 'weight', args: [String(server.weight)] }]);
}

/** Why this server cannot be added at runtime, as the end of a sentence; undefined when it can (rule R4, new server). */
export function serverObstacle(
  { capabilities, needs }: Pick<DiffContext, 'capabilities' | 'needs'>,
  setting: ServerSetting,
  server: Server,
): string | undefined {
  const { version } = capabilities;
  if (!capabilities.dynamicServers || version === undefined)
    return `HAProxy ${version ?? '?'} cannot add servers at runtime`;
  if (!isDynamicBalance(setting.balance, setting.hashType))
    return `"balance ${setting.balance}" takes no servers at runtime`;
  if (![setting.backend.name, server.name].every(isSafeToken))
    return 'its name cannot stand in a runtime command';
  const address = addressObstacle(server);
  if (address !== undefined) return address;
  const keywords = effectiveKeywords(setting, server);
  if (keywords === undefined)
    return `"default-server" of profile ${setting.backend.profile} has keywords that cannot be given at runtime`;
  for (const keyword of keywords) {
    const obstacle = keywordObstacle(keyword, version, needs);
    if (obstacle !== undefined) return obstacle;
  }
  if (server.guid !== undefined && !isSafeToken(server.guid))
    return 'its guid cannot stand in a runtime command';
  return undefined;
}

/** HAProxy resolves nothing at runtime: an address must be a literal one. */
export function addressObstacle({ address, port }: Server): string | undefined {
  if (isIP(address) === 0) return `its address "${address}" is no literal IP address`;
  return Number.isInteger(port) && port >= 1 && port <= 65_535
    ? undefined
    : `its port ${port} is out of range`;
}

/**
 * `add server` and, unless the server is disabled, `enable server`: an added server starts in maintenance with its check off.
 * With a check it starts as up where HAProxy can say so (`init-state`), as servers of a file do. Only for servers without a
 * {@link serverObstacle}.
 */
export function addServer(
  setting: ServerSetting,
  server: Server,
  capabilities: AddCapabilities,
): Operation[] {
  const { name: backend } = setting.backend;
  const inEffect = effectiveKeywords(setting, server) ?? [];
  const has = (name: string) => inEffect.some((keyword) => keyword.name === name);
  const keywords = addedKeywords(inEffect, server, capabilities);
  const { address, port } = server;
  const add: Operation = { kind: 'server_add', backend, server: server.name, address, port, keywords };
  return server.disabled === true || has('disabled')
    ? [add]
    : [add, enableServer(backend, server.name, has('check'))];
}

type AddCapabilities = Pick<DiffContext['capabilities'], 'guid' | 'serverInitState' | 'serverPool'>;

const poolDefaults = [
  ['pool-purge-delay', '5s'],
  ['pool-max-conn', '-1'],
] as const;

/** The words of `add server` for a server with these keywords in effect. */
function addedKeywords(
  inEffect: readonly Keyword[],
  server: Server,
  { guid, serverInitState, serverPool }: AddCapabilities,
): readonly Keyword[] {
  const has = (name: string) => inEffect.some((keyword) => keyword.name === name);
  const keywords = inEffect.filter((keyword) => keyword.name !== 'disabled');
  keywords.push(...checkTransport(inEffect).filter(({ name }) => !has(name)));
  if (server.guid !== undefined && guid) keywords.push({ name: 'guid', args: [server.guid] });
  if (serverInitState && has('check') && !has('init-state'))
    keywords.push({ name: 'init-state', args: ['up'] });
  if (!serverPool)
    // 2.6 leaves out the defaults of a file's servers here, and then closes every connection after one request.
    for (const [name, byDefault] of poolDefaults) if (!has(name)) keywords.push({ name, args: [byDefault] });
  return keywords;
}

/**
 * A check without an address or port of its own speaks as requests do, TLS and PROXY protocol: of itself for servers of a file,
 * not for those added at runtime (HAProxy's `init_srv_check`).
 */
function checkTransport(inEffect: readonly Keyword[]): readonly Keyword[] {
  const names = new Set(inEffect.map(({ name }) => name));
  if (!names.has('check') || names.has('port') || names.has('addr')) return [];
  const sendsProxy = [...names].some((name) => name.startsWith('send-proxy'));
  return [
    ...(names.has('ssl') ? [{ name: 'check-ssl', args: [] }] : []),
    ...(sendsProxy ? [{ name: 'check-send-proxy', args: [] }] : []),
  ];
}

/**
 * Maintenance takes a server out of the balancing at once; the agent deletes it when its connections are done. It is told what the
 * server is like, so that one of the same name and keywords that comes back meanwhile can have its place.
 */
export function deleteServer(
  setting: ServerSetting,
  server: Server,
  capabilities: AddCapabilities,
): Operation[] {
  const at = { backend: setting.backend.name, server: server.name };
  const inEffect = effectiveKeywords(setting, server);
  const like = inEffect === undefined ? {} : { keywords: addedKeywords(inEffect, server, capabilities) };
  return [
    { kind: 'server_disable', ...at },
    { kind: 'server_del', ...at, ...like },
  ];
}

export function enableServer(backend: string, server: string, health: boolean): Operation {
  return { kind: 'server_enable', backend, server, ...(health ? { health } : {}) };
}
