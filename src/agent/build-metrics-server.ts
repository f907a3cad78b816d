import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { plainServer } from './plain-server.ts';

/**
 * `GET /metrics` in the Prometheus text format, and `/healthz` and `/readyz` for probes: kubelets have no client certificate, and
 * a certificate that went wrong must not take a pod out of service. Not listening yet.
 */
export function buildMetricsServer(deps: {
  readonly agent: { ready(): boolean };
  readonly registry: Registry;
  readonly log: FastifyBaseLogger;
}): FastifyInstance {
  const app = plainServer(deps.log);
  app.get('/metrics', async (_request, reply) => {
    const body = await deps.registry.metrics();
    return reply.type(deps.registry.contentType).send(body);
  });
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const ready = deps.agent.ready();
    await reply.status(ready ? 200 : 503).send({ status: ready ? 'ok' : 'starting' });
  });
  return app;
}
