import type { ServerResponse } from 'node:http';
import type { FastifyPluginCallback } from 'fastify';
import { EMPTY, type Observable, Subscription, map, timer } from 'rxjs';
import { errorMessage } from '../lib/error-message.ts';
import type { RecordingEntry } from '../sinks/recording.ts';
import { guardHeaders } from './guard-headers.ts';

export interface RecordRoutesDeps {
  /** A recording from now on. Never completes; absent: there is nothing to record. */
  readonly record?: () => Observable<RecordingEntry>;
}

const recordQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { for: { type: 'integer', minimum: 1, maximum: 86_400, description: 'seconds' } },
} as const;

/** A recording with a gap is of no use: a slow reader gets all of it, up to so many bytes that it has not taken. */
const mostBytes = 64 * 1024 * 1024;
/** Each begins with all objects of the cluster. */
const mostRecordings = 2;

/**
 * `GET /debug/recording`: what comes into the pipeline, for `haptic replay`, as NDJSON: configuration and objects as they are, then every change,
 * verdict and acknowledgement, without secrets. `?for=` seconds. Ends with a line of kind `end`; without it, the recording was cut.
 *
 * Loss policy: none up to 64 MiB that the reader has not taken, at which the recording ends.
 */
export const recordRoutes: FastifyPluginCallback<RecordRoutesDeps> = (app, { record }, done) => {
  const open = new Subscription();
  let running = 0;
  app.addHook('preClose', (closed) => {
    open.unsubscribe();
    closed();
  });
  app.get<{ Querystring: { for?: number } }>(
    '/debug/recording',
    { schema: { querystring: recordQuery } },
    (request, reply) => {
      if (record === undefined) return reply.code(404).send({ error: 'there is nothing to record' });
      if (running >= mostRecordings)
        return reply.code(503).send({ error: `${mostRecordings} recordings are being made already` });
      const { for: seconds } = request.query;
      const over$ = seconds === undefined ? EMPTY : timer(seconds * 1_000);
      reply.hijack();
      running += 1;
      const recording = writeRecording(record(), over$.pipe(map(() => 'as asked')), reply.raw);
      open.add(recording);
      recording.add(() => {
        running -= 1;
        open.remove(recording);
      });
      return reply;
    },
  );
  done();
};

function writeRecording(
  entry$: Observable<RecordingEntry>,
  over$: Observable<string>,
  response: ServerResponse,
): Subscription {
  const subscription = new Subscription();
  let last = 0;
  const write = (entry: RecordingEntry): void => {
    last = entry.at;
    response.write(`${JSON.stringify(entry)}\n`);
  };
  const end = (reason: string): void => {
    if (subscription.closed) return;
    write({ at: last, kind: 'end', reason });
    subscription.unsubscribe();
  };
  response.writeHead(200, { ...guardHeaders, 'content-type': 'application/x-ndjson' });
  response.flushHeaders();
  // What is written already is still sent.
  subscription.add(() => {
    if (!response.writableEnded) response.end();
  });
  response.on('close', () => subscription.unsubscribe());
  subscription.add(over$.subscribe({ next: end, error: (error: unknown) => end(errorMessage(error)) }));
  subscription.add(
    entry$.subscribe({
      next: (entry) => {
        if (subscription.closed) return;
        write(entry);
        if (response.writableLength > mostBytes) end('the reader was too slow');
      },
      error: (error: unknown) => end(errorMessage(error)),
    }),
  );
  return subscription;
}
