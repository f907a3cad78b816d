import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { quietFastify } from './quiet-fastify.ts';

/** `GET /metrics` in the Prometheus text format, not listening yet. */
export function buildMetricsServer(deps: { logger: FastifyBaseLogger; registry: Registry }): FastifyInstance {
  const app = quietFastify(deps.logger);
  app.get('/metrics', async (_request, reply) => {
    const body = await deps.registry.metrics();
    return reply.type(deps.registry.contentType).send(body);
  });
  return app;
}
