import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface EchoIdentity {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

export interface EchoServer {
  readonly port: number;
  /** From now on every answer asks its client to close the connection; requests are still served. */
  readonly drain: () => void;
  /** Stops listening, ends idle connections, gives running requests `graceMs`, then cuts. */
  readonly close: (graceMs: number) => Promise<void>;
}

/**
 * Answers every request with what it saw and who it is: JSON, or one line per fact for `Accept: text/plain`.
 * `?status=418` chooses the status and `?delay=250` waits that many milliseconds first, both within bounds.
 *
 * @throws the listen error (`EADDRINUSE`, `EACCES`) as Node gives it
 */
export async function startEchoServer(
  identity: EchoIdentity,
  host: string,
  port: number,
): Promise<EchoServer> {
  let draining = false;
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://echo');
    const status = bounded(url.searchParams.get('status'), 200, 599) ?? 200;
    const delay = bounded(url.searchParams.get('delay'), 0, 30_000) ?? 0;
    request.resume();
    const answer = () => {
      const { type, body } = describe(identity, host, server, request);
      response.writeHead(status, {
        'content-type': type,
        'x-echo-pod': identity.pod,
        ...(draining ? { connection: 'close' } : {}),
      });
      response.end(body);
    };
    if (delay === 0) answer();
    else setTimeout(answer, delay);
  });
  // A proxy's idle connection must never be closed under its feet by a shorter time-out here.
  server.keepAliveTimeout = 120_000;
  server.listen(port, host, 4096);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    drain: () => (draining = true),
    close: async (graceMs) => {
      draining = true;
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(cut);
    },
  };
}

function bounded(text: string | null, min: number, max: number): number | undefined {
  if (text === null || !/^\d{1,5}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

function describe(
  identity: EchoIdentity,
  host: string,
  server: http.Server,
  request: http.IncomingMessage,
): { type: string; body: string } {
  const port = (server.address() as AddressInfo | null)?.port ?? 0;
  const facts = {
    pod: identity.pod,
    namespace: identity.namespace,
    container: identity.container,
    address: `${host}:${port}`,
    method: request.method ?? '',
    host: request.headers.host ?? '',
    path: request.url ?? '',
  };
  if (request.headers.accept === 'text/plain') {
    const headers = Object.entries(request.headers).map(
      ([name, value]) => `header ${name}: ${String(value)}`,
    );
    const lines = [...Object.entries(facts).map(([name, value]) => `${name}: ${value}`), ...headers];
    return { type: 'text/plain; charset=utf-8', body: `${lines.join('\n')}\n` };
  }
  return { type: 'application/json', body: `${JSON.stringify({ ...facts, headers: request.headers })}\n` };
}
