import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { createServer, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { CodedError } from '../lib/coded-error.ts';
import { followTlsFolder } from '../lib/tls/tls-folder.ts';
import { limits } from '../protocol/limits.ts';
import type { ApplyError } from '../protocol/wire.ts';
import type { Agent } from './agent.ts';
import type { AgentAuth } from './agent-options.ts';
import { isAuthorized } from './basic-auth.ts';
import { type ServerLimits, serverLimits } from './server-limits.ts';
import { createClientCheck } from './tls/client-check.ts';
import { createTlsServer } from './tls/tls-server.ts';
import { withoutSchemas } from './without-schemas.ts';

export interface AgentServerDeps {
  readonly agent: Pick<Agent, 'ready' | 'state' | 'apply' | 'storePlan'>;
  readonly auth: AgentAuth;
  readonly log: FastifyBaseLogger;
  readonly limits?: ServerLimits;
  /** Milliseconds since the epoch; certificates are judged by it. */
  readonly now?: () => number;
}

type Refusal = ApplyError & { readonly status: number };

/**
 * The agent's HTTP interface, not yet listening: GET /healthz and /readyz for everybody; GET /v1/state, POST /v1/apply and
 * PUT /v1/plan for the controller, which shows its certificate, or HTTP Basic credentials where TLS is off. Error bodies are
 * `{ stage, code, message }`.
 */
export function buildAgentServer(deps: AgentServerDeps): FastifyInstance {
  const { agent, log, limits: allowed = serverLimits } = deps;
  const { makeServer, refusalOf, dropHandshakes } = transportOf(deps, allowed);
  const app = fastify({
    ...withoutSchemas,
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.applyBodyBytes,
    serverFactory: (handler) =>
      makeServer(
        {
          headersTimeout: allowed.headersMs,
          requestTimeout: allowed.readMs,
          keepAliveTimeout: allowed.idleMs,
          connectionsCheckingInterval: allowed.checkMs,
        },
        handler,
      ),
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket),
  });

  // Bodies are read by the handlers: an apply part by part, after the fence let it in. No other types are known.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body));
  app.addContentTypeParser(
    'application/octet-stream',
    { parseAs: 'buffer', bodyLimit: limits.planBlobBytes },
    (_request, body, done) => done(null, body),
  );

  app.setErrorHandler<FastifyError>(async (error, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) log.error({ err: error }, 'request failed');
    await reply.status(status).send(
      status >= 500
        ? { stage: 'internal', message: 'the agent failed; its log has the reason' }
        : {
            stage: 'request',
            code: status === 413 ? 'HAPTIC_ERR_AGENT_BODY' : 'HAPTIC_ERR_AGENT_REQUEST',
            message: error.message,
          },
    );
  });
  app.addHook('onRequest', async (request, reply) => {
    // Whoever has not shown who he is keeps no connection, which takes memory. Routes that are not for everybody look themselves.
    const isForAll = request.routeOptions.url?.startsWith('/v1/') !== true;
    if (request.is404 || (isForAll && refusalOf(request) !== undefined))
      void reply.header('connection', 'close');
    // Before its body is read, which nobody has asked for.
    if (!request.is404) return;
    await reply.status(404).send(badRequest('there is no such endpoint'));
  });
  app.addHook('onRequest', (request, reply, done) => {
    const timer = setTimeout(() => request.raw.socket.destroy(), allowed.answerMs);
    reply.raw.once('close', () => clearTimeout(timer));
    done();
  });
  app.addHook('preClose', async () => {
    dropHandshakes();
    setTimeout(() => app.server.closeAllConnections(), allowed.graceMs).unref();
    return Promise.resolve();
  });

  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const ready = agent.ready();
    await reply.status(ready ? 200 : 503).send({ status: ready ? 'ok' : 'starting' });
  });
  void app.register((v1, _options, done) => {
    // On the routes themselves: the router knows more spellings of a path than a look at the URL would.
    v1.addHook('onRequest', async (request, reply) => {
      const refusal = refusalOf(request) ?? tooLarge(request);
      if (refusal === undefined) return;
      const { status, ...body } = refusal;
      // What is still on its way is not read: the connection ends with the answer.
      void reply.status(status).header('connection', 'close');
      if (status === 401 && deps.auth.kind === 'basic')
        void reply.header('www-authenticate', 'Basic realm="haptic-agent"');
      await reply.send(body);
    });
    v1.get<{ Querystring: { verify?: string; plan?: string } }>('/v1/state', async (request, reply) => {
      // Before that the worker is not known, and a reader would take it for one that can do nothing.
      if (!agent.ready())
        return reply
          .status(503)
          .send({ stage: 'startup', message: 'the agent has not finished its start-up' });
      return agent.state({ verify: request.query.verify === '1', plan: request.query.plan !== '0' });
    });
    v1.post('/v1/apply', async (request, reply) => {
      if (request.headers['content-type']?.startsWith('multipart/form-data') !== true)
        return reply.status(400).send(badRequest('the body is not multipart/form-data'));
      const answer = await agent.apply(request.body as Readable, request.headers);
      return reply.status(answer.status).send(answer.body);
    });
    v1.put<{ Querystring: { plan_id?: string; proof?: string } }>('/v1/plan', async (request, reply) => {
      const { plan_id: planId, proof } = request.query;
      if (planId === undefined || proof === undefined || !Buffer.isBuffer(request.body))
        return reply
          .status(400)
          .send(badRequest('plan_id, proof and an application/octet-stream body are needed'));
      const stored = await agent.storePlan(planId, proof, request.body);
      const { kind, ...body } = stored;
      return reply.status(kind === 'stored' ? 200 : 409).send(body);
    });
    done();
  });
  return app;
}

interface Transport {
  readonly makeServer: (options: ServerOptions, handler: Parameters<typeof createServer>[1]) => Server;
  readonly refusalOf: (request: FastifyRequest) => Refusal | undefined;
  readonly dropHandshakes: () => void;
}

function transportOf({ auth, log, now }: AgentServerDeps, allowed: ServerLimits): Transport {
  if (auth.kind === 'basic')
    return {
      makeServer: (options, handler) => createServer(options, handler),
      refusalOf: ({ headers }) =>
        isAuthorized(headers.authorization, auth.credentials)
          ? undefined
          : unauthorized('the credentials are missing or wrong'),
      dropHandshakes: () => undefined,
    };
  const folder = followTlsFolder(auth.dir, now);
  const check = createClientCheck(folder, auth.clientName, now);
  let drop = (): void => undefined;
  return {
    makeServer: (options, handler = () => undefined) => {
      const { server, dropHandshakes } = createTlsServer(options, handler, {
        folder,
        log,
        handshakeTimeoutMs: allowed.handshakeMs,
      });
      drop = dropHandshakes;
      return server;
    },
    refusalOf: ({ raw }) => {
      if (!(raw.socket instanceof TLSSocket)) return unauthorized('the connection is not encrypted');
      try {
        const problem = check(raw.socket);
        return problem === undefined ? undefined : unauthorized(problem);
      } catch (error) {
        if (!(error instanceof CodedError)) throw error;
        log.error(
          { code: error.code, reason: error.message },
          'certificate is not usable: requests are refused',
        );
        return {
          status: 503,
          stage: 'tls',
          code: error.code,
          message: "the agent's certificate is not usable",
        };
      }
    },
    dropHandshakes: () => drop(),
  };
}

function unauthorized(message: string): Refusal {
  return { status: 401, stage: 'request', code: 'HAPTIC_ERR_AGENT_CLIENT', message };
}

function badRequest(message: string): ApplyError {
  return { stage: 'request', code: 'HAPTIC_ERR_AGENT_REQUEST', message };
}

function tooLarge({ headers }: FastifyRequest): Refusal | undefined {
  if (!(Number(headers['content-length']) > limits.applyBodyBytes)) return undefined;
  const message = `the body is larger than ${String(limits.applyBodyBytes)} bytes`;
  return { status: 413, stage: 'request', code: 'HAPTIC_ERR_AGENT_BODY', message };
}

const brokenRequests: Readonly<Record<string, readonly [string, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not come in time'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the headers are too large'],
};

/** Answers what Node could not read as a request; nothing of it has reached a handler, or the handler's body has just ended. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  const { code = '' } = error;
  // All others are of the connection: it is broken, or no TLS came about on it that an answer could go through.
  if (!/^(HPE|ERR_HTTP)_/.test(code) || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = brokenRequests[code] ?? ['400 Bad Request', 'the request is no HTTP'];
  const body = JSON.stringify(badRequest(message));
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nConnection: close\r\n` +
      `Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
