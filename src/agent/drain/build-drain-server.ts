import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { plainServer } from '../plain-server.ts';
import type { Drain } from './create-drain.ts';

/**
 * `GET /drain` holds until the drain has ended, and says why it did: `{ reason, waited_ms }`. HAProxy is expected to be told to end then,
 * which is announced before the answer. Not listening yet.
 */
export function buildDrainServer(deps: {
  readonly drain: Drain;
  /** Resolves when HAProxy may be told to end. */
  readonly announceSoftStop: () => Promise<void>;
  readonly log: FastifyBaseLogger;
}): FastifyInstance {
  const app = plainServer(deps.log);
  app.addHook('preClose', async () => {
    deps.drain.cancel();
    return Promise.resolve();
  });
  app.get('/drain', async (_request, reply) => {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    deps.log.info('drain begins');
    const result = await deps.drain.wait(gone.signal);
    if (result.reason !== 'cancelled') await deps.announceSoftStop();
    deps.log.info({ ...result }, 'drain ended');
    return result;
  });
  return app;
}
