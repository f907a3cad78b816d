import { constants } from 'node:crypto';
import type { RequestListener, ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { CodedError } from '../lib/coded-error.ts';
import { errorMessage } from '../lib/error-message.ts';
import type { TlsMaterial } from '../lib/tls/tls-material.ts';
import { boundConnections } from './bound-connections.ts';
import { fewInEachTurn } from './few-in-each-turn.ts';
import { oneAtATime } from './one-at-a-time.ts';

/** The certificate by which API servers know the webhook; it may be exchanged at any time. */
export interface WebhookIdentity {
  /** @throws CodedError when there is none that can be used */
  current(): TlsMaterial;
}

export interface WebhookTlsDeps {
  readonly identity: WebhookIdentity;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'error'>;
  readonly onCertificate: (material: TlsMaterial) => void;
  readonly handshakeTimeoutMs: number;
  /** See {@link boundConnections}. */
  readonly connections: number;
}

/**
 * HTTPS with the certificate of the time of each connection; TLS 1.2 and newer. While there is no usable one, every new connection is
 * closed and the reason logged once. Who speaks plain HTTP to it is closed on. However many come at once, few handshakes are made in each turn of
 * the event loop: a connection is taken once its first words are there.
 */
export function createWebhookTlsServer(
  options: ServerOptions,
  listener: RequestListener,
  { identity, log, onCertificate, handshakeTimeoutMs, connections }: WebhookTlsDeps,
): Server {
  const server = createServer({
    ...options,
    noDelay: true,
    minVersion: 'TLSv1.2',
    handshakeTimeout: handshakeTimeoutMs,
  });
  let used = '';
  let lastProblem = '';
  const refresh = (): boolean => {
    try {
      const material = identity.current();
      if (material.id === used) return true;
      server.setSecureContext({
        cert: material.cert,
        key: material.key,
        minVersion: 'TLSv1.2',
        // A session under the former certificate is no session under this one.
        secureOptions: constants.SSL_OP_NO_TICKET,
      });
      log.info(
        { notAfter: material.leaf.validToDate.toISOString() },
        used === '' ? 'webhook certificate in use' : 'webhook certificate exchanged',
      );
      used = material.id;
      lastProblem = '';
      onCertificate(material);
      return true;
    } catch (error) {
      const reason = errorMessage(error);
      if (reason !== lastProblem)
        log.error(
          { code: error instanceof CodedError ? error.code : undefined, reason },
          'webhook certificate is not usable: connections are refused',
        );
      lastProblem = reason;
      return false;
    }
  };
  const [beginTls] = server.listeners('connection') as [(socket: Socket) => void];
  server.removeAllListeners('connection');
  const begin = fewInEachTurn((socket: Socket) => {
    if (socket.destroyed) return;
    if (refresh()) beginTls.call(server, socket);
    else socket.destroy();
  });
  server.on('connection', (socket: Socket) => {
    const giveUp = (): void => void socket.destroy();
    // Whoever goes before a word was said is nobody's business.
    socket.once('error', giveUp);
    socket.setTimeout(handshakeTimeoutMs, giveUp);
    socket.once('readable', () => {
      socket.setTimeout(0, giveUp);
      begin(socket);
    });
  });
  const note = boundConnections(server, connections);
  server.on(
    'request',
    oneAtATime((request, response) => {
      note(request, response);
      listener(request, response);
    }),
  );
  return server;
}
