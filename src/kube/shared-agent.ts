import { createHash } from 'node:crypto';
import { Agent } from 'undici';
import type { TlsMaterial } from './credentials.ts';

/** Hands out one connection pool for as long as the TLS material stays the same. */
export interface SharedAgent {
  agentFor(tls: TlsMaterial): Agent;
  /** Ends the pool and its running requests. */
  destroy(): Promise<void>;
}

const headersTimeoutMs = 30_000;
const connectTimeoutMs = 10_000;
const keepAliveProbeMs = 15_000;
/** Each watch (of a kind, and of a namespace where they are watched one by one) holds a connection for minutes; others must not wait for it. */
const maxConnections = 2048;

/**
 * One undici Agent, rebuilt only when (ca, cert, key, servername, skip-verify) change: an Agent per request would mean a
 * TLS handshake per request. A replaced pool is closed when its running requests are done, so open watches live on.
 *
 * HTTP/2 is off: one connection carries at most 100 streams and a frozen server is noticed by socket time-outs only on
 * HTTP/1.1.
 */
export function sharedAgent(onCloseError: (error: unknown) => void): SharedAgent {
  let current: { readonly id: string; readonly agent: Agent } | undefined;
  return {
    agentFor: (tls) => {
      const id = identityOf(tls);
      if (current?.id === id) return current.agent;
      current?.agent.close().catch(onCloseError);
      current = { id, agent: makeAgent(tls) };
      return current.agent;
    },
    destroy: async () => {
      await current?.agent.destroy();
      current = undefined;
    },
  };
}

function makeAgent(tls: TlsMaterial): Agent {
  return new Agent({
    allowH2: false,
    connections: maxConnections,
    pipelining: 1,
    keepAliveTimeout: 60_000,
    headersTimeout: headersTimeoutMs,
    connect: {
      keepAlive: true,
      keepAliveInitialDelay: keepAliveProbeMs,
      timeout: connectTimeoutMs,
      rejectUnauthorized: !tls.skipVerify,
      ...(tls.ca === undefined ? {} : { ca: tls.ca }),
      ...(tls.cert === undefined ? {} : { cert: tls.cert }),
      ...(tls.key === undefined ? {} : { key: tls.key }),
      ...(tls.servername === undefined ? {} : { servername: tls.servername }),
    },
  });
}

function identityOf(tls: TlsMaterial): string {
  const parts = [tls.ca, tls.cert, tls.key, tls.servername, tls.skipVerify];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
