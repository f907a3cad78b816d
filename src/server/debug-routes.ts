import type { FastifyPluginCallback } from 'fastify';
import type { Taps } from '../operators/taps.ts';
import type { EventHistory } from '../sinks/event-history.ts';
import { type AskForAccess, debugAccess } from './debug-access.ts';
import { eventRoutes } from './event-routes.ts';
import { type Explainer, explainRoutes } from './explain-routes.ts';
import { guardHeaders } from './guard-headers.ts';
import { pageRoutes } from './page-routes.ts';
import { profileRoutes } from './profile-routes.ts';
import { recordRoutes, type RecordRoutesDeps } from './record-routes.ts';
import { tapRoutes } from './tap-routes.ts';
import { type DebugVars, varRoutes } from './var-routes.ts';

export interface DebugDeps extends RecordRoutesDeps {
  readonly taps: Taps;
  /** What happened last. */
  readonly events: Pick<EventHistory, 'last'>;
  /** What objects have brought about; absent: nobody can tell. */
  readonly explainer?: Explainer;
  /** The graph of collections as a mermaid flowchart. */
  readonly graph: () => string;
  /** The plan that was let out last, as `encodePlan` writes it; undefined as long as there is none. */
  readonly plan: () => Promise<Uint8Array | undefined>;
  readonly vars: DebugVars;
  /** Milliseconds between heartbeats of a tap. */
  readonly heartbeat: number;
  /** Who else than loopback may look; absent: nobody. */
  readonly ask?: AskForAccess;
  /** Told of streams that begin (1) and end (-1), and of values that slow readers lost. */
  readonly readers?: { readonly changed: (by: 1 | -1) => void; readonly dropped: (count: number) => void };
}

/**
 * `/debug`: for loopback, and for bearers of a token that may (see `debugAccess`). Taps, values, history and profiles as their own files
 * say; `GET /debug/graph` draws the collections; `GET /debug/plan` is the plan that was let out last, for `haptic diff`: sections, maps and digests of files,
 * without the bytes of certificates.
 */
export const debugRoutes: FastifyPluginCallback<{ debug: DebugDeps }> = (app, { debug }, done) => {
  app.addHook('onRequest', debugAccess(debug.ask));
  app.addHook('onSend', async (_request, reply) => {
    for (const [name, value] of Object.entries(guardHeaders))
      if (!reply.hasHeader(name)) void reply.header(name, value);
    return Promise.resolve();
  });
  app.register(tapRoutes, {
    taps: debug.taps,
    heartbeat: debug.heartbeat,
    onReaders: (change) => debug.readers?.changed(change),
    onDropped: (count) => debug.readers?.dropped(count),
  });
  app.register(varRoutes, { vars: debug.vars });
  app.register(explainRoutes, debug.explainer === undefined ? {} : { explainer: debug.explainer });
  app.register(eventRoutes, { events: debug.events });
  app.register(pageRoutes);
  app.register(profileRoutes);
  app.register(recordRoutes, debug.record === undefined ? {} : { record: debug.record });

  app.get('/debug/plan', async (_request, reply) => {
    const plan = await debug.plan();
    if (plan === undefined) return reply.code(404).send({ error: 'no render was let out yet' });
    return reply.type('application/octet-stream').send(Buffer.from(plan));
  });
  app.get('/debug/graph', (_request, reply) => reply.type('text/plain').send(debug.graph()));
  done();
};
