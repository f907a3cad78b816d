import { X509Certificate } from 'node:crypto';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { CodedError } from '../lib/coded-error.ts';
import { hasDnsName } from '../lib/tls/has-dns-name.ts';
import { followTlsFolder } from '../lib/tls/tls-folder.ts';
import type { TlsMaterial } from '../lib/tls/tls-material.ts';
import { limits } from '../protocol/limits.ts';

/** How the controller shows who it is: by a certificate, or by Basic credentials over plain HTTP where TLS is explicitly off. */
export type AgentAccess =
  | {
      /** Folder of `tls.crt`, `tls.key`, `ca.crt`, read anew whenever it changes. */
      readonly tls: { readonly dir: string; readonly serverName: string };
    }
  /** Read for each request. */
  | { readonly username: string; readonly password: string };

/** Connections to all agents. */
export interface AgentPool {
  readonly scheme: 'http' | 'https';
  /** To be sent with the next request; to be asked for each. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Where to send the next request. To be asked for each: connections live on only while identity and trust are the same and no
   * certificate that they were made with has ended.
   *
   * @throws CodedError `HAPTIC_ERR_TLS_MATERIAL` when identity or trust are not usable; former ones are not used instead
   */
  current(): Dispatcher;
  close(): Promise<void>;
}

const poolOptions = {
  allowH2: false,
  connections: 4,
  keepAliveTimeout: 90_000,
  keepAliveMaxTimeout: 90_000,
  pipelining: 1,
  /** A pod may be anybody's who got hold of one: its answer is no larger than what it can be sent. */
  maxResponseSize: limits.applyBodyBytes,
} as const;
const connectTimeoutMs = 5_000;

/** TLS is 1.3 only, without resumed sessions, since those are not verified again. */
export function createAgentPool(access: AgentAccess, now: () => number = Date.now): AgentPool {
  if (!('tls' in access)) {
    const agent = new Agent({ ...poolOptions, connect: { timeout: connectTimeoutMs } });
    return {
      scheme: 'http',
      get headers() {
        const credentials = Buffer.from(`${access.username}:${access.password}`).toString('base64');
        return { authorization: `Basic ${credentials}` };
      },
      current: () => agent,
      close: () => agent.close(),
    };
  }

  const folder = followTlsFolder(access.tls.dir, now);
  const closing = new Set<Promise<void>>();
  let used: { readonly id: string; readonly agent: Agent; endsAt: number } | undefined;
  const retire = () => {
    if (used === undefined) return;
    // What is on its way over the former connections still comes to its end.
    const closed = used.agent.close().finally(() => closing.delete(closed));
    closing.add(closed);
    used = undefined;
  };
  return {
    scheme: 'https',
    headers: {},
    current: () => {
      const material = folder.current();
      if (used?.id === material.id && now() < used.endsAt) return used.agent;
      retire();
      const made = {
        id: material.id,
        endsAt: material.staleAt,
        agent: new Agent({
          ...poolOptions,
          connect: connectorFor(material, access.tls.serverName, (end) => {
            made.endsAt = Math.min(made.endsAt, end);
          }),
        }),
      };
      used = made;
      return made.agent;
    },
    close: async () => {
      retire();
      await Promise.all(closing);
    },
  };
}

/** @param onPeer told when the certificate of each agent that is connected to ends */
function connectorFor(
  material: TlsMaterial,
  serverName: string,
  onPeer: (end: number) => void,
): buildConnector.connector {
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    maxCachedSessions: 0,
    cert: material.cert,
    key: material.key,
    ca: material.trust.map(String),
    servername: serverName,
    minVersion: 'TLSv1.3',
    checkServerIdentity: (_host, { raw }) => {
      const leaf = new X509Certificate(raw);
      onPeer(leaf.validToDate.getTime());
      return hasDnsName(leaf, serverName)
        ? undefined
        : new CodedError('HAPTIC_ERR_AGENT_TLS', `its certificate is not for ${serverName}`);
    },
  });
  return connect;
}
