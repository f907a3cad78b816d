import type { FastifyPluginCallback } from 'fastify';
import { errorMessage } from '../lib/error-message.ts';
import { redact } from '../lib/redact.ts';
import { selectPaths } from '../lib/select-paths.ts';

/** Values by name, made when they are asked for. */
export type DebugVars = Readonly<Record<string, () => unknown>>;

const varQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { field: { type: 'string', minLength: 1, maxLength: 1024 } },
} as const;

/**
 * `GET /debug/vars` lists values, `GET /debug/vars/<name>` shows one, `all` all of them; `?field=` only this JSONPath of it: the value
 * there, the list of them if there are several, `null` if there is none.
 */
export const varRoutes: FastifyPluginCallback<{ vars: DebugVars }> = (app, { vars }, done) => {
  app.get('/debug/vars', (_request, reply) => reply.send({ vars: Object.keys(vars) }));

  app.get<{ Params: { name: string }; Querystring: { field?: string } }>(
    '/debug/vars/:name',
    { schema: { querystring: varQuery } },
    (request, reply) => {
      const { name } = request.params;
      const { field } = request.query;
      const make = name === 'all' ? all : Object.hasOwn(vars, name) ? vars[name] : undefined;
      if (make === undefined) {
        const known = [...Object.keys(vars), 'all'].join(', ');
        return reply.code(404).send({ error: `no variable named ${name}; there are: ${known}` });
      }
      let select: (value: unknown) => unknown;
      try {
        select = selectPaths(field === undefined ? [] : [field]);
      } catch (error) {
        return reply.code(400).send({ error: errorMessage(error) });
      }
      // As text: what is selected may be a bare string.
      return reply.type('application/json').send(JSON.stringify(select(redact(make() ?? null)) ?? null));
    },
  );
  done();

  function all(): unknown {
    return Object.fromEntries(Object.entries(vars).map(([key, value]) => [key, value() ?? null]));
  }
};
