import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import tls from 'node:tls';
import { issueAuthority } from '../../certificates/issue-authority.ts';
import type { Address, ServerPoint } from './move-config.ts';
import { proxyHeaderLength } from './proxy-header.ts';

/** What a stub was asked. */
export interface StubRequest extends ServerPoint {
  readonly method: string;
  /** Path and query as they arrived. */
  readonly path: string;
  /** By name in lower case; several of one name joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface StubServers {
  /** One for each point, in its order. */
  readonly addresses: readonly Address[];
  /** The request behind an answer, by the value of its {@link stubHeader}. */
  readonly requestOf: (token: string) => StubRequest | undefined;
  /** What all of them answer from now on. */
  readonly answerWith: (answer: StubAnswer) => void;
  readonly stop: () => Promise<void>;
}

/** Header of every answer of a stub: says which request it answers. */
export const stubHeader = 'x-haptic-test-stub';

const maxBody = 1024 * 1024;

/**
 * A server for each `server` line of a configuration: HTTP/1.1 and HTTP/2, with or without TLS, with or without a PROXY header, as
 * the first bytes of a connection say. Listens on `host`, a loopback address, with ports of the system's choice.
 */
export async function startStubServers(host: string, points: readonly ServerPoint[]): Promise<StubServers> {
  const requests: StubRequest[] = [];
  let answer: StubAnswer = {};
  const serve = (point: ServerPoint) => async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      if (size < maxBody) chunks.push(chunk);
      size += chunk.byteLength;
    }
    const token = requests.push({
      ...point,
      method: request.method ?? '',
      path: request.url ?? '',
      headers: headersOf(request),
      body: Buffer.concat(chunks).toString('utf8'),
    });
    response.writeHead(answer.status ?? 200, { ...answer.headers, [stubHeader]: String(token - 1) });
    response.end(answer.body ?? '');
  };
  const certificate = lazyCertificate();
  const sockets = new Set<net.Socket>();
  const listeners = await Promise.all(
    points.map(async (point) => {
      const handler = serve(point);
      const handle = (request: IncomingMessage, response: ServerResponse): void => {
        // A client that goes away amid its request has its own error.
        handler(request, response).catch(() => response.destroy());
      };
      const plain = http.createServer(handle);
      const two = http2.createServer({}, handle as never);
      const secured = securedBy(certificate, { plain, two });
      two.on('sessionError', () => undefined);
      const server = net.createServer((socket) => {
        sockets.add(socket);
        socket.on('close', () => sockets.delete(socket));
        socket.on('error', () => socket.destroy());
        greet(socket, { plain, two, secured });
      });
      server.listen(0, host);
      await once(server, 'listening');
      return server;
    }),
  );
  return {
    addresses: listeners.map((server) => {
      const address = server.address();
      if (address === null || typeof address === 'string')
        throw new Error('unreachable: it listens on a port');
      return { host, port: address.port };
    }),
    requestOf: (token) => requests[Number(token)],
    answerWith: (next) => (answer = next),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all(
        listeners.map(async (server) => {
          server.close();
          await once(server, 'close');
        }),
      );
    },
  };
}

interface Protocols {
  readonly plain: http.Server;
  readonly two: http2.Http2Server;
  readonly secured: () => Promise<tls.Server>;
}

/** Hands the connection to whoever speaks what its first bytes are. */
function greet(socket: net.Socket, protocols: Protocols): void {
  let seen = Buffer.alloc(0);
  const look = (chunk: Buffer): void => {
    seen = Buffer.concat([seen, chunk]);
    const skip = proxyHeaderLength(seen);
    if (skip === 'incomplete') return;
    const rest = seen.subarray(skip);
    if (rest.byteLength === 0) return;
    socket.off('data', look);
    socket.pause();
    socket.unshift(rest);
    void hand(socket, rest, protocols).catch(() => socket.destroy());
  };
  socket.on('data', look);
}

const handshake = 0x16;
const prefaceStart = 'PRI *';

async function hand(socket: net.Socket, first: Buffer, { plain, two, secured }: Protocols): Promise<void> {
  if (first[0] === handshake) {
    (await secured()).emit('connection', socket);
  } else if (first.toString('latin1', 0, prefaceStart.length) === prefaceStart) {
    // It reads what was put back by itself, and would miss what flows.
    two.emit('connection', socket);
  } else {
    plain.emit('connection', socket);
    socket.resume();
  }
}

/** Made when the first connection needs it; one certificate for all. */
function securedBy(
  context: () => Promise<tls.SecureContextOptions>,
  { plain, two }: Pick<Protocols, 'plain' | 'two'>,
): Protocols['secured'] {
  let made: Promise<tls.Server> | undefined;
  const make = async (): Promise<tls.Server> => {
    const server = tls.createServer({ ...(await context()), ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
      (socket.alpnProtocol === 'h2' ? two : plain).emit('connection', socket);
    });
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    return server;
  };
  return () => (made ??= make());
}

function lazyCertificate(): () => Promise<tls.SecureContextOptions> {
  let made: Promise<tls.SecureContextOptions> | undefined;
  const day = 86_400_000;
  return () => (made ??= issueAuthority(Date.now(), day));
}

/** HTTP/2 has its host as `:authority`. */
function headersOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase().replace(/^:authority$/, 'host');
    const value = rawHeaders[at + 1] ?? '';
    if (name.startsWith(':')) continue;
    headers[name] = name in headers ? `${headers[name] ?? ''}, ${value}` : value;
  }
  return headers;
}
