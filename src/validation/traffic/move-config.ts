import { actsOutside } from './acts-outside.ts';
import { configLines, unquoted, type ConfigLine } from './config-lines.ts';

/** An address that a `bind` line listens on. */
export interface BindPoint {
  readonly section: string;
  readonly proxy: string;
  /** As written, without a prefix such as `ipv4@`. */
  readonly host: string;
  readonly port: number;
  readonly protocol: 'tcp' | 'quic';
  /** Whether connections to it begin with a PROXY header once it is moved. */
  readonly takesProxyHeader: boolean;
}

/** A `server` line. */
export interface ServerPoint {
  readonly backend: string;
  readonly server: string;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface TrafficConfig {
  readonly binds: readonly BindPoint[];
  readonly servers: readonly ServerPoint[];
  /** Names of `frontend` and `listen` sections. */
  readonly frontends: ReadonlySet<string>;
  /** The line of the configuration, counted from 1, that a line of the moved one comes from. */
  readonly originalLine: (line: number) => number;
  /** The configuration with these points moved to addresses of a test, in the order of `binds` and `servers`. */
  readonly move: (binds: readonly Address[], servers: readonly Address[]) => string;
}

/** Header of every answer in which HAProxy names the backend that it chose. */
export const chosenHeader = 'x-haptic-test-backend';

/**
 * Finds what ties a configuration to the network, so that it can run beside others on one machine:
 *
 * - `bind`: addresses are moved, and take the client's address from a PROXY header; `interface`, `namespace` and `transparent` go
 * - `server`: addresses are moved; health checks, `source` and the verification of certificates go, since a stub is no server of yours
 * - of the process: its own sockets, files and identity, and programs that it would run, go
 *
 * Unix sockets of proxies stay as they are. What a test observes is one more header on answers.
 */
export function trafficConfig(config: string): TrafficConfig {
  const lines = configLines(config);
  const binds: BindPoint[] = [];
  const servers: ServerPoint[] = [];
  const frontends = new Set<string>();
  for (const line of lines) {
    if (isHeading(line) && isFrontend(line)) frontends.add(line.name);
    if (isBind(line)) binds.push(...bindPoints(line));
    if (isServer(line)) servers.push({ backend: line.name, server: unquoted(line.words[1]?.text ?? '') });
  }
  const headings = lines.flatMap((line, index) => (isHeading(line) && isFrontend(line) ? [index + 1] : []));
  return {
    binds,
    servers,
    frontends,
    // Each heading so far has one line more below it.
    originalLine: (line) => line - headings.filter((heading, nth) => heading + nth < line).length,
    move: (bindAddresses, serverAddresses) => {
      const nextBind = bindAddresses.values();
      const nextServer = serverAddresses.values();
      return lines
        .map((line) => {
          if (actsOutside(line.text, line.section)) return `# ${line.text}`;
          if (isHeading(line) && isFrontend(line))
            return `${line.text}\n  http-after-response set-header ${chosenHeader} %[be_name]`;
          if (isBind(line)) return movedBind(line, nextBind);
          if (isServer(line)) return movedServer(line, nextServer);
          if (isSettingOfServers(line)) return withoutWords(line, 1, serverWords);
          if (isSource(line)) return `# ${line.text}`;
          return line.text;
        })
        .join('\n');
    },
  };
}

const isHeading = ({ words, section }: ConfigLine): boolean => words[0]?.text === section;
const isFrontend = ({ section }: ConfigLine): boolean => section === 'frontend' || section === 'listen';
const isBackend = ({ section }: ConfigLine): boolean => section === 'backend' || section === 'listen';

function isBind({ words, section }: ConfigLine): boolean {
  return (
    words[0]?.text === 'bind' &&
    words.length > 1 &&
    ['frontend', 'listen', 'peers', 'log-forward'].includes(section)
  );
}

function isServer(line: ConfigLine): boolean {
  const { words } = line;
  const at = words[0]?.text === 'server' ? 2 : words[0]?.text === 'server-template' ? 3 : undefined;
  return at !== undefined && words.length > at && isBackend(line);
}

function isSettingOfServers({ words, section }: ConfigLine): boolean {
  return words[0]?.text === 'default-server' && section !== 'peers' && section !== 'ring';
}

function isSource({ words, section }: ConfigLine): boolean {
  return words[0]?.text === 'source' && ['backend', 'listen', 'defaults'].includes(section);
}

const tcpAddress = /^(?:(ipv4|ipv6|tcp4?|tcp6|quic4?|quic6|udp4?|udp6)@)?(.*):(\d+)(?:-\d+)?$/;

function addressesOf({ words }: ConfigLine): readonly (RegExpExecArray | undefined)[] {
  const word = unquoted(words[1]?.text ?? '');
  if (word.startsWith('/')) return [];
  return word.split(',').map((address) => tcpAddress.exec(address) ?? undefined);
}

function bindPoints(line: ConfigLine): readonly BindPoint[] {
  return addressesOf(line).flatMap((match) => {
    if (match === undefined) return [];
    const [, prefix = '', host = '', port = ''] = match;
    const protocol = prefix.startsWith('quic') || prefix.startsWith('udp') ? 'quic' : 'tcp';
    return {
      section: line.section,
      proxy: line.name,
      host,
      port: Number(port),
      protocol,
      takesProxyHeader: protocol === 'tcp' && isFrontend(line),
    };
  });
}

/** Words that are taken out, with how many words follow each. */
const bindWords: Readonly<Record<string, number>> = { interface: 1, namespace: 1, transparent: 0 };
const serverWords: Readonly<Record<string, number>> = {
  'agent-check': 0,
  check: 0,
  'init-state': 1,
  namespace: 1,
  source: 1,
  track: 1,
  usesrc: 1,
};

function movedBind(line: ConfigLine, next: Iterator<Address>): string {
  const points = bindPoints(line);
  if (points.length === 0) return line.text;
  const word = unquoted(line.words[1]?.text ?? '');
  const addresses = word.split(',').map((address) => {
    const match = tcpAddress.exec(address);
    if (match === null) return address;
    const { host, port } = taken(next);
    const prefix = (match[1] ?? '').replace('6', '4');
    return `${prefix === '' ? '' : `${prefix}@`}${host}:${port}`;
  });
  const kept = withoutWords(line, 2, bindWords, addresses.join(','));
  const isProxied = points.some(({ takesProxyHeader }) => takesProxyHeader);
  return isProxied && !line.words.some(({ text }) => text === 'accept-proxy') ? `${kept} accept-proxy` : kept;
}

function movedServer(line: ConfigLine, next: Iterator<Address>): string {
  const at = line.words[0]?.text === 'server' ? 2 : 3;
  const { host, port } = taken(next);
  return withoutWords(line, at + 1, serverWords, `${host}:${port}`);
}

/** The line without some words from `from` on, and with another word before those. A certificate need not be one that the line trusts. */
function withoutWords(
  { words }: ConfigLine,
  from: number,
  unwanted: Readonly<Record<string, number>>,
  replaced?: string,
): string {
  const kept = words.slice(0, replaced === undefined ? from : from - 1).map(({ text }) => text);
  if (replaced !== undefined) kept.push(replaced);
  for (let at = from; at < words.length; at++) {
    const text = words[at]?.text ?? '';
    const following = unwanted[text];
    if (following !== undefined) at += following;
    else kept.push(text === 'required' && words[at - 1]?.text === 'verify' ? 'none' : text);
  }
  return `  ${kept.join(' ')}`;
}

function taken(next: Iterator<Address>): Address {
  const result = next.next();
  if (result.done === true) throw new Error('unreachable: there is an address for each point');
  return result.value;
}
