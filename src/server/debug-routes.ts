import type { FastifyPluginCallback } from 'fastify';
import { type Observable, Subscription, map, takeUntil, timer } from 'rxjs';
import { redact } from '../lib/redact.ts';
import type { Taps } from '../operators/taps.ts';
import { loopbackOnly } from './loopback-only.ts';
import { streamNdjson } from './stream-ndjson.ts';

export interface DebugDeps {
  readonly taps: Taps;
  /** The graph of collections as a mermaid flowchart. */
  readonly graph: () => string;
  /** The plan that was let out last, as `encodePlan` writes it; undefined as long as there is none. */
  readonly plan: () => Promise<Uint8Array | undefined>;
  /** Values by name, made when they are asked for. */
  readonly vars: Readonly<Record<string, () => unknown>>;
  /** Milliseconds between heartbeats of a tap. */
  readonly heartbeat: number;
}

const tapQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    limit: { type: 'integer', minimum: 1 },
    for: { type: 'integer', minimum: 1, description: 'seconds' },
  },
} as const;

/**
 * `/debug`: loopback only. `GET /debug/taps` lists the named arrows of the pipeline; `GET /debug/taps/<name>` streams one as
 * NDJSON, the current value first, `?limit=` lines, `?for=` seconds. `GET /debug/graph` draws the collections. `GET /debug/vars` lists
 * values, `GET /debug/vars/<name>` shows one, `all` all of them. `GET /debug/plan` is the
 * plan that was let out last, for `haptic diff`: sections, maps and digests of files, without the bytes of certificates.
 */
export const debugRoutes: FastifyPluginCallback<{ debug: DebugDeps }> = (app, { debug }, done) => {
  const open = new Subscription();
  app.addHook('onRequest', loopbackOnly);
  app.addHook('preClose', (closed) => {
    open.unsubscribe();
    closed();
  });

  app.get('/debug/taps', (_request, reply) => reply.send({ taps: debug.taps.names() }));

  app.get<{ Params: { name: string }; Querystring: { limit?: number; for?: number } }>(
    '/debug/taps/:name',
    { schema: { querystring: tapQuery } },
    (request, reply) => {
      const values$ = debug.taps.watch(request.params.name);
      if (values$ === undefined) {
        const known = debug.taps.names().join(', ');
        return reply.code(404).send({ error: `no tap named ${request.params.name}; there are: ${known}` });
      }
      const shown$: Observable<unknown> = values$.pipe(map(redact));
      const { for: seconds, limit } = request.query;
      reply.hijack();
      const bounded$ = seconds === undefined ? shown$ : shown$.pipe(takeUntil(timer(seconds * 1000)));
      const stream = streamNdjson(bounded$, reply.raw, { heartbeat: debug.heartbeat, limit });
      open.add(stream);
      stream.add(() => {
        open.remove(stream);
        if (!reply.raw.writableEnded) reply.raw.end();
      });
      return reply;
    },
  );

  app.get('/debug/plan', async (_request, reply) => {
    const plan = await debug.plan();
    if (plan === undefined) return reply.code(404).send({ error: 'no render was let out yet' });
    return reply.type('application/octet-stream').send(Buffer.from(plan));
  });

  app.get('/debug/vars', (_request, reply) => reply.send({ vars: Object.keys(debug.vars) }));

  app.get<{ Params: { name: string } }>('/debug/vars/:name', (request, reply) => {
    const { name } = request.params;
    if (name === 'all')
      return reply.send(
        redact(Object.fromEntries(Object.entries(debug.vars).map(([key, value]) => [key, value() ?? null]))),
      );
    const value = Object.hasOwn(debug.vars, name) ? debug.vars[name] : undefined;
    if (value !== undefined) return reply.send(redact(value() ?? null));
    const known = [...Object.keys(debug.vars), 'all'].join(', ');
    return reply.code(404).send({ error: `no variable named ${name}; there are: ${known}` });
  });

  app.get('/debug/graph', (_request, reply) => reply.type('text/plain').send(debug.graph()));
  done();
};
