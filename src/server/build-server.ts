import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { type DebugDeps, debugRoutes } from './debug-routes.ts';
import { healthRoutes } from './health-routes.ts';
import type { Health } from './health.ts';
import { quietFastify } from './quiet-fastify.ts';

export interface ServerDeps {
  readonly logger: FastifyBaseLogger;
  readonly health: Health;
  readonly debug: DebugDeps;
}

/** The controller's HTTP interface, not listening yet: probes for the kubelet, `/debug` for loopback. */
export function buildServer({ logger, health, debug }: ServerDeps): FastifyInstance {
  const app = quietFastify(logger);
  app.register(healthRoutes, { health });
  app.register(debugRoutes, { debug });
  return app;
}
