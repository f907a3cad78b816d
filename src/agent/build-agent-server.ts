import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  LogController,
} from 'fastify';
import type { Readable } from 'node:stream';
import { limits } from '../protocol/limits.ts';
import type { Agent } from './agent.ts';
import type { AgentAuth } from './agent-options.ts';
import { isAuthorized } from './basic-auth.ts';

export interface AgentServerDeps {
  readonly agent: Agent;
  readonly auth: AgentAuth;
  readonly log: FastifyBaseLogger;
}

/**
 * The agent's HTTP interface, not yet listening: GET /healthz and /readyz without credentials; GET /v1/state, POST /v1/apply
 * and PUT /v1/plan with HTTP Basic. Error bodies are `{ stage, message }`.
 */
export function buildAgentServer({ agent, auth, log }: AgentServerDeps): FastifyInstance {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.applyBodyBytes,
    requestTimeout: 120_000,
    keepAliveTimeout: 120_000,
  });

  // Bodies are read by the handlers: an apply part by part, after the fence let it in.
  app.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body));
  app.addContentTypeParser(
    'application/octet-stream',
    { parseAs: 'buffer', bodyLimit: limits.planBlobBytes },
    (_request, body, done) => done(null, body),
  );

  app.setErrorHandler<FastifyError>(async (error, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) log.error({ err: error }, 'request failed');
    const message = status >= 500 ? 'the agent failed; its log has the reason' : error.message;
    await reply.status(status).send({ stage: status >= 500 ? 'internal' : 'request', message });
  });
  app.setNotFoundHandler(async (_request, reply) => {
    await reply.status(404).send({ stage: 'request', message: 'there is no such endpoint' });
  });
  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith('/v1/') || isAllowed(auth, request.headers.authorization)) return;
    await reply
      .status(401)
      .header('www-authenticate', 'Basic realm="haptic-agent"')
      .send({ stage: 'request', message: 'the credentials are missing or wrong' });
  });

  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const ready = agent.ready();
    await reply.status(ready ? 200 : 503).send({ status: ready ? 'ok' : 'starting' });
  });
  app.get<{ Querystring: { verify?: string; plan?: string } }>('/v1/state', async (request, reply) => {
    // Before that the worker is not known, and a reader would take it for one that can do nothing.
    if (!agent.ready())
      return reply.status(503).send({ stage: 'startup', message: 'the agent has not finished its start-up' });
    return agent.state({ verify: request.query.verify === '1', plan: request.query.plan !== '0' });
  });
  app.post('/v1/apply', async (request, reply) => {
    if (request.headers['content-type']?.startsWith('multipart/form-data') !== true)
      return reply.status(400).send({ stage: 'request', message: 'the body is not multipart/form-data' });
    const answer = await agent.apply(request.body as Readable, request.headers);
    return reply.status(answer.status).send(answer.body);
  });
  app.put<{ Querystring: { plan_id?: string; proof?: string } }>('/v1/plan', async (request, reply) => {
    const { plan_id: planId, proof } = request.query;
    if (planId === undefined || proof === undefined || !Buffer.isBuffer(request.body))
      return reply.status(400).send({
        stage: 'request',
        message: 'plan_id, proof and an application/octet-stream body are needed',
      });
    const stored = await agent.storePlan(planId, proof, request.body);
    const { kind, ...body } = stored;
    return reply.status(kind === 'stored' ? 200 : 409).send(body);
  });
  return app;
}

function isAllowed(auth: AgentAuth, header: string | undefined): boolean {
  return auth.kind === 'basic' && isAuthorized(header, auth.credentials);
}
