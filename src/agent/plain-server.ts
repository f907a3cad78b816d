import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { ApplyError } from '../protocol/wire.ts';
import { withoutSchemas } from './without-schemas.ts';

/** A server for GET requests of this pod: errors in the agent's form, a log line for failures only. */
export function plainServer(log: FastifyBaseLogger): FastifyInstance {
  const app = fastify({
    ...withoutSchemas,
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 1024,
    requestTimeout: 10_000,
    forceCloseConnections: 'idle',
  });
  app.setErrorHandler(async (error, _request, reply) => {
    log.error({ err: error }, 'request failed');
    const answer: ApplyError = { stage: 'internal', message: 'the agent failed; its log has the reason' };
    await reply.status(500).send(answer);
  });
  app.setNotFoundHandler(async (_request, reply) => {
    const answer: ApplyError = { stage: 'request', message: 'there is no such endpoint' };
    await reply.status(404).send(answer);
  });
  return app;
}
