import { isVersionAtLeast } from '../lib/is-version-at-least.ts';
import { isSafeToken } from '../protocol/safe-token.ts';
import type { Keyword } from '../protocol/plan.ts';
import type { FileNeeds, StoreKind } from './file-needs.ts';

/** First HAProxy line whose `add server` takes the keyword, and the number of its arguments. */
interface KeywordRule {
  readonly since: string;
  readonly args: number;
  /** The argument names a file, which the worker must have loaded. */
  readonly file?: StoreKind;
}

const flag: KeywordRule = { since: '2.6', args: 0 };
const value: KeywordRule = { since: '2.6', args: 1 };

/**
 * Server keywords that can be given to `add server` with the effect they have in a file. Left out on purpose:
 * `agent-check` (stays off until `enable agent`), `id`, `source`, `track` (depend on other objects), and everything that
 * HAProxy refuses for a dynamic server, such as `resolvers`, `init-addr`, `redir`, `namespace`, `socks4`, `tcp-ut`.
 */
export const addServerKeywords: Readonly<Record<string, KeywordRule>> = {
  'agent-inter': value,
  'agent-port': value,
  'agent-send': value,
  'allow-0rtt': flag,
  alpn: value,
  addr: value,
  backup: flag,
  'ca-file': { ...value, file: 'ca' },
  check: flag,
  'check-alpn': value,
  'check-proto': value,
  'check-send-proxy': flag,
  'check-sni': value,
  'check-ssl': flag,
  ciphers: value,
  ciphersuites: value,
  cookie: { since: '3.0', args: 1 },
  'crl-file': { ...value, file: 'crl' },
  crt: { ...value, file: 'cert' },
  curves: { since: '3.0', args: 1 },
  disabled: flag,
  downinter: value,
  'error-limit': value,
  fall: value,
  fastinter: value,
  guid: { since: '3.0', args: 1 },
  'hash-key': { since: '3.0', args: 1 },
  'init-state': { since: '3.1', args: 1 },
  inter: value,
  maxconn: value,
  maxqueue: value,
  minconn: value,
  'no-ssl-reuse': flag,
  'no-tls-tickets': flag,
  observe: value,
  'on-error': value,
  'on-marked-down': value,
  'on-marked-up': value,
  'pool-low-conn': value,
  'pool-max-conn': value,
  'pool-purge-delay': value,
  port: value,
  proto: value,
  'proxy-v2-options': value,
  rise: value,
  'send-proxy': flag,
  'send-proxy-v2': flag,
  'send-proxy-v2-ssl': flag,
  'send-proxy-v2-ssl-cn': flag,
  shard: { since: '3.0', args: 1 },
  slowstart: value,
  sni: value,
  ssl: flag,
  'ssl-max-ver': value,
  'ssl-min-ver': value,
  'strict-maxconn': { since: '3.2', args: 0 },
  verify: value,
  verifyhost: value,
  weight: value,
  ws: value,
};

/**
 * Why `add server` on this HAProxy line cannot take the keyword, as the end of a sentence; undefined when it can. Files that it names are
 * asked for.
 */
export function keywordObstacle(
  keyword: Keyword,
  version: string,
  needs: Pick<FileNeeds, 'need'>,
): string | undefined {
  const rule = Object.hasOwn(addServerKeywords, keyword.name) ? addServerKeywords[keyword.name] : undefined;
  if (rule === undefined || !isVersionAtLeast(version, rule.since))
    return `keyword "${keyword.name}" is not for servers added at runtime on HAProxy ${version}`;
  if (keyword.args.length !== rule.args)
    return `keyword "${keyword.name}" takes ${rule.args} arguments, not ${keyword.args.length}`;
  if (!keyword.args.every(isSafeToken))
    return `the argument of keyword "${keyword.name}" cannot stand in a runtime command`;
  const [path] = keyword.args;
  if (rule.file === undefined || path === undefined) return undefined;
  const obstacle = needs.need(rule.file, path);
  return obstacle === undefined ? undefined : `its keyword "${keyword.name}": ${obstacle}`;
}

/**
 * The keywords that a server has in effect: `default-server`'s and its own, which win. `add server` inherits none, so this
 * is what it must be given.
 */
export function mergeKeywords(defaults: readonly Keyword[], own: readonly Keyword[]): readonly Keyword[] {
  if (defaults.length === 0) return own;
  const merged = new Map(defaults.map((keyword) => [keyword.name, keyword]));
  for (const keyword of own) merged.set(keyword.name, keyword);
  return [...merged.values()];
}

/**
 * Reads the words after `default-server`; undefined when a word is none of {@link addServerKeywords}, since then nobody knows
 * which words are its arguments.
 */
export function parseKeywords(words: readonly string[]): readonly Keyword[] | undefined {
  const keywords: Keyword[] = [];
  for (let at = 0; at < words.length;) {
    const name = words[at++] ?? '';
    const rule = Object.hasOwn(addServerKeywords, name) ? addServerKeywords[name] : undefined;
    if (rule === undefined) return undefined;
    const args = words.slice(at, at + rule.args);
    if (args.length !== rule.args) return undefined;
    at += rule.args;
    keywords.push({ name, args });
  }
  return keywords;
}
