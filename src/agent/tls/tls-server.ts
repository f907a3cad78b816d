import type { FastifyBaseLogger } from 'fastify';
import { constants } from 'node:crypto';
import type { RequestListener, ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import { CodedError } from '../../lib/coded-error.ts';
import { errorMessage } from '../../lib/error-message.ts';
import type { TlsFolder } from '../../lib/tls/tls-folder.ts';

export interface TlsServerDeps {
  readonly folder: TlsFolder;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'error'>;
  readonly handshakeTimeoutMs: number;
}

export interface TlsServer {
  readonly server: Server;
  /** Ends the connections that have not finished their handshake: nothing else would before its time-out. */
  readonly dropHandshakes: () => void;
}

/**
 * HTTPS with the certificate that lies in the folder at the time of each connection; TLS 1.3 only. A client is asked for its
 * certificate and let in without one: who may do what is decided per request. While the folder's content is not usable every
 * new connection is closed, and the reason logged once. Sessions are not resumed, since a resumed one is not verified.
 * Who speaks plain HTTP to it is told so, 400.
 */
export function createTlsServer(
  options: ServerOptions,
  listener: RequestListener,
  { folder, log, handshakeTimeoutMs }: TlsServerDeps,
): TlsServer {
  const server = createServer(
    {
      ...options,
      // Its default is Node's for HTTP servers only; large bodies stood still for 40 ms without.
      noDelay: true,
      minVersion: 'TLSv1.3',
      maxVersion: 'TLSv1.3',
      requestCert: true,
      rejectUnauthorized: false,
      handshakeTimeout: handshakeTimeoutMs,
    },
    listener,
  );
  const [beginTls] = server.listeners('connection') as [(socket: Socket) => void];
  const unfinished = new Set<Socket>();
  let used = '';
  let lastProblem = '';

  const refresh = (): boolean => {
    try {
      const { id, cert, key, trust } = folder.current();
      if (id !== used) {
        server.setSecureContext({
          cert,
          key,
          ca: trust.map(String),
          minVersion: 'TLSv1.3',
          maxVersion: 'TLSv1.3',
          secureOptions: constants.SSL_OP_NO_TICKET,
        });
        log.info(
          { notAfter: folder.current().leaf.validToDate.toISOString(), authorities: trust.length },
          used === '' ? 'certificate in use' : 'certificate exchanged',
        );
        used = id;
      }
      lastProblem = '';
      return true;
    } catch (error) {
      const message = errorMessage(error);
      if (message !== lastProblem)
        log.error(
          { code: error instanceof CodedError ? error.code : undefined, reason: message },
          'certificate is not usable: connections are refused',
        );
      lastProblem = message;
      return false;
    }
  };

  server.removeListener('connection', beginTls);
  server.on('connection', (socket: Socket) => {
    unfinished.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => unfinished.delete(socket));
    socket.setTimeout(handshakeTimeoutMs, () => socket.destroy());
    socket.once('data', (first: Buffer) => {
      unfinished.delete(socket);
      socket.setTimeout(0);
      if (first[0] !== handshakeRecord) socket.end(plainAnswer);
      else if (!refresh()) socket.destroy();
      else {
        socket.pause();
        socket.unshift(first);
        beginTls.call(server, socket);
      }
    });
  });
  server.on('tlsClientError', (error: Error & { code?: string }, socket) => {
    log.info({ reason: error.code ?? error.message, peer: socket.remoteAddress }, 'handshake failed');
  });
  refresh();
  return {
    server,
    dropHandshakes: () => {
      for (const socket of unfinished) socket.destroy();
    },
  };
}

/** The content type of the first byte that a TLS client sends (RFC 8446, 5.1). */
const handshakeRecord = 0x16;

const plainBody = JSON.stringify({
  stage: 'request',
  code: 'HAPTIC_ERR_AGENT_TLS_REQUIRED',
  message: 'this port speaks HTTPS, and the request was plain HTTP',
});
const plainAnswer =
  'HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nConnection: close\r\n' +
  `Content-Length: ${String(Buffer.byteLength(plainBody))}\r\n\r\n${plainBody}`;
