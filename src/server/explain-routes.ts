import type { FastifyPluginCallback } from 'fastify';
import { redact } from '../lib/redact.ts';

export interface Explainer {
  /** Objects that have a part in the render that is out, by words of their names. */
  readonly find: (words: string, limit: number) => readonly string[];
  /** What an object, `Ingress web/shop`, has brought about; undefined: there is no render, or it has no part in it. */
  readonly explain: (object: string) => unknown;
}

const findQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    q: { type: 'string', maxLength: 512, default: '' },
    limit: { type: 'integer', minimum: 1, maximum: 1000, default: 50 },
  },
} as const;
const explainQuery = {
  type: 'object',
  additionalProperties: false,
  required: ['object'],
  properties: { object: { type: 'string', minLength: 1, maxLength: 1024 } },
} as const;

/**
 * `GET /debug/objects?q=` lists objects that have a part in the render that is out; `GET /debug/explain?object=Ingress web/shop` tells everything
 * that one has brought about: lines of haproxy.cfg, map entries, files, problems, and why it is held back.
 */
export const explainRoutes: FastifyPluginCallback<{ explainer?: Explainer }> = (app, { explainer }, done) => {
  app.get<{ Querystring: { q: string; limit: number } }>(
    '/debug/objects',
    { schema: { querystring: findQuery } },
    (request, reply) => reply.send({ objects: explainer?.find(request.query.q, request.query.limit) ?? [] }),
  );
  app.get<{ Querystring: { object: string } }>(
    '/debug/explain',
    { schema: { querystring: explainQuery } },
    (request, reply) => {
      const explained = explainer?.explain(request.query.object);
      if (explained !== undefined) return reply.send(redact(explained));
      return reply
        .code(404)
        .send({ error: `${request.query.object} has no part in the render that is out, and no problem` });
    },
  );
  done();
};
