import type { FastifyPluginCallback } from 'fastify';
import type { EventHistory } from '../sinks/event-history.ts';

const eventQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
    correlation_id: { type: 'string', minLength: 1, maxLength: 128 },
  },
} as const;

/** `GET /debug/events?limit=&correlation_id=`: what happened last, oldest first. */
export const eventRoutes: FastifyPluginCallback<{ events: Pick<EventHistory, 'last'> }> = (
  app,
  { events },
  done,
) => {
  app.get<{ Querystring: { limit: number; correlation_id?: string } }>(
    '/debug/events',
    { schema: { querystring: eventQuery } },
    (request, reply) => {
      const { limit, correlation_id: correlationId } = request.query;
      return reply.send({ events: events.last(limit, correlationId) });
    },
  );
  done();
};
