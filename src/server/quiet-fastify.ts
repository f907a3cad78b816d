import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';

/** How long a client may take to send the headers of a request and all of it, milliseconds. */
const limits = { headersMs: 10_000, requestMs: 30_000 } as const;

/**
 * An HTTP server that logs what goes wrong, not every request, and does not wait for open streams when it closes. It is for requests without
 * a body: none is read, so that a stranger who sends one costs no memory.
 */
export function quietFastify(logger: FastifyBaseLogger): FastifyInstance {
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
    requestTimeout: limits.requestMs,
    http: { headersTimeout: limits.headersMs },
  });
  app.removeAllContentTypeParsers();
  app.addHook('onRequest', async ({ is404 }, reply) => {
    if (!is404) return;
    void reply.header('connection', 'close');
    await reply.code(404).send({ error: 'there is nothing here, or not for this method' });
  });
  return app;
}
