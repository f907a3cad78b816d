import { Session } from 'node:inspector/promises';
import type { FastifyPluginCallback } from 'fastify';
import { firstValueFrom, race, timer, fromEvent } from 'rxjs';

const profileQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { seconds: { type: 'integer', minimum: 1, maximum: 300, default: 10 } },
} as const;

/** Bytes between two samples of allocation, on average: V8's own default. */
const heapSamplingInterval = 32_768;

/**
 * `GET /debug/profile?seconds=` is a CPU profile of the main thread, `GET /debug/heap?seconds=` a sampling profile of what was
 * allocated meanwhile and is still held, by function: both open in Chrome's DevTools (Performance, Memory). One at a time: 409 else. A whole heap
 * snapshot is not to be had here: it would stop the controller for seconds, and the keys of certificates are in it.
 */
export const profileRoutes: FastifyPluginCallback = (app, _options, done) => {
  let busy = false;

  const profiled =
    (kind: string, file: string, record: (session: Session, over: Promise<unknown>) => Promise<unknown>) =>
    async (seconds: number, gone: Promise<unknown>) => {
      if (busy) return undefined;
      busy = true;
      const session = new Session();
      try {
        session.connect();
        const over = Promise.race([firstValueFrom(timer(seconds * 1000)), gone]);
        return { kind, file, profile: await record(session, over) };
      } finally {
        session.disconnect();
        busy = false;
      }
    };

  const takers = {
    '/debug/profile': profiled('cpu', 'haptic.cpuprofile', async (session, over) => {
      await session.post('Profiler.enable');
      await session.post('Profiler.start');
      await over;
      return (await session.post('Profiler.stop')).profile;
    }),
    '/debug/heap': profiled('heap', 'haptic.heapprofile', async (session, over) => {
      await session.post('HeapProfiler.enable');
      await session.post('HeapProfiler.startSampling', { samplingInterval: heapSamplingInterval });
      await over;
      return (await session.post('HeapProfiler.stopSampling')).profile;
    }),
  };

  for (const [path, take] of Object.entries(takers))
    app.get<{ Querystring: { seconds: number } }>(
      path,
      { schema: { querystring: profileQuery } },
      async (request, reply) => {
        const gone = firstValueFrom(race(fromEvent(request.raw, 'close')), { defaultValue: undefined });
        const taken = await take(request.query.seconds, gone);
        if (taken === undefined) return reply.code(409).send({ error: 'a profile is being taken already' });
        return reply
          .header('content-disposition', `attachment; filename="${taken.file}"`)
          .type('application/json')
          .send(taken.profile);
      },
    );
  done();
};
