import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Agent } from './agent.ts';
import { plainServer } from './plain-server.ts';

/** What those who can open the admin socket may see: `GET /healthz` and `GET /v1/state`. Changes nothing. Not listening yet. */
export function buildAdminServer(deps: {
  readonly agent: Pick<Agent, 'ready' | 'state'>;
  readonly log: FastifyBaseLogger;
}): FastifyInstance {
  const app = plainServer(deps.log);
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get<{ Querystring: { verify?: string; plan?: string } }>('/v1/state', async (request, reply) => {
    if (!deps.agent.ready())
      return reply.status(503).send({ stage: 'startup', message: 'the agent has not finished its start-up' });
    return deps.agent.state({ verify: request.query.verify === '1', plan: request.query.plan !== '0' });
  });
  return app;
}
