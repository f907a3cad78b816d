import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';

/** An HTTP server that logs what goes wrong, not every request, and does not wait for open streams when it closes. */
export function quietFastify(logger: FastifyBaseLogger): FastifyInstance {
  const logController = new LogController({ disableRequestLogging: true });
  return fastify({ loggerInstance: logger, logController, forceCloseConnections: true });
}
