import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import {
  type MonoTypeOperatorFunction,
  type Observable,
  Subscription,
  identity,
  map,
  merge,
  takeUntil,
  timer,
} from 'rxjs';
import { errorMessage } from '../lib/error-message.ts';
import { selectPaths } from '../lib/select-paths.ts';
import { debounceMax } from '../operators/debounce-max.ts';
import type { TapValue, Taps } from '../operators/taps.ts';
import { type LazyLine, streamLines } from './stream-lines.ts';

export interface TapRoutesDeps {
  readonly taps: Taps;
  /** Milliseconds between heartbeats of a stream. */
  readonly heartbeat: number;
  /** Told of each stream that begins (1) or ends (-1). */
  readonly onReaders: (change: 1 | -1) => void;
  /** Told how many values a reader lost. */
  readonly onDropped: (count: number) => void;
}

/** Each holds a connection and a little memory. */
const mostReaders = 256;

const bounds = {
  limit: { type: 'integer', minimum: 1 },
  for: { type: 'integer', minimum: 1, description: 'seconds' },
  sample: { type: 'integer', minimum: 1, maximum: 3_600_000, description: 'milliseconds' },
} as const;
const oneTap = {
  type: 'object',
  additionalProperties: false,
  properties: { ...bounds, field: { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 16 } },
} as const;
const manyTaps = {
  type: 'object',
  additionalProperties: false,
  required: ['tap'],
  properties: {
    ...bounds,
    tap: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: 256 },
  },
} as const;

interface Bounds {
  readonly limit?: number;
  readonly for?: number;
  readonly sample?: number;
}

/**
 * `GET /debug/taps` lists the named arrows of the pipeline. `GET /debug/taps/<name>` streams one, the current value first: NDJSON, or
 * server-sent events for `Accept: text/event-stream`. `?limit=` values, `?for=` seconds, `?sample=` the newest value once in so many milliseconds,
 * `?field=` only this JSONPath of it (of several, an object by path).
 * `GET /debug/stream?tap=<name>&tap=…` streams several over one connection, each value with its tap, number and time.
 */
export const tapRoutes: FastifyPluginCallback<TapRoutesDeps> = (app, deps, done) => {
  const { taps } = deps;
  const open = new Subscription();
  let readers = 0;
  app.addHook('preClose', (closed) => {
    open.unsubscribe();
    closed();
  });

  app.get('/debug/taps', (_request, reply) => reply.send({ taps: taps.names() }));

  app.get<{ Params: { name: string }; Querystring: Bounds & { field?: readonly string[] } }>(
    '/debug/taps/:name',
    { schema: { querystring: oneTap } },
    (request, reply) => {
      const values$ = taps.values(request.params.name);
      if (values$ === undefined) return unknownTap(reply, request.params.name);
      let select: Selection;
      try {
        select = selectionOf(request.query.field ?? []);
      } catch (error) {
        return reply.code(400).send({ error: errorMessage(error) });
      }
      return stream(request, reply, values$.pipe(sampled(request.query), map(select)));
    },
  );

  app.get<{ Querystring: Bounds & { tap: readonly string[] } }>(
    '/debug/stream',
    { schema: { querystring: manyTaps } },
    (request, reply) => {
      const wanted = [...new Set(request.query.tap)];
      const sources: Observable<TapValue>[] = [];
      for (const name of wanted) {
        const values$ = taps.values(name);
        if (values$ === undefined) return unknownTap(reply, name);
        sources.push(values$.pipe(sampled(request.query)));
      }
      return stream(request, reply, merge(...sources).pipe(map(enveloped)));
    },
  );
  done();

  function unknownTap(reply: FastifyReply, name: string): FastifyReply {
    return reply.code(404).send({ error: `no tap named ${name}; there are: ${taps.names().join(', ')}` });
  }

  function stream(
    request: FastifyRequest<{ Querystring: Bounds }>,
    reply: FastifyReply,
    line$: Observable<LazyLine>,
  ): FastifyReply {
    if (readers >= mostReaders)
      return reply.code(503).send({ error: `${mostReaders} streams are open, and no more are served` });
    const { for: seconds, limit } = request.query;
    const bounded$ = seconds === undefined ? line$ : line$.pipe(takeUntil(timer(seconds * 1000)));
    const format = (request.headers.accept ?? '').includes('text/event-stream') ? 'sse' : 'ndjson';
    reply.hijack();
    readers += 1;
    deps.onReaders(1);
    const { heartbeat, onDropped } = deps;
    const running = streamLines(bounded$, reply.raw, { format, heartbeat, limit, onDropped });
    open.add(running);
    running.add(() => {
      readers -= 1;
      deps.onReaders(-1);
      open.remove(running);
      if (!reply.raw.writableEnded) reply.raw.end();
    });
    return reply;
  }
};

type Selection = (value: TapValue) => LazyLine;

function sampled({ sample }: Bounds): MonoTypeOperatorFunction<TapValue> {
  return sample === undefined ? identity : debounceMax(sample);
}

/** Throws what `selectPaths` throws. */
function selectionOf(paths: readonly string[]): Selection {
  // As it is, the text is made once for all readers.
  if (paths.length === 0) return ({ tap, json }) => ({ key: tap, json });
  const show = selectPaths(paths);
  return ({ tap, data }) => ({ key: tap, json: () => JSON.stringify(show(data())) });
}

function enveloped({ tap, seq, at, json }: TapValue): LazyLine {
  return {
    key: tap,
    json: () => `{"tap":${JSON.stringify(tap)},"seq":${seq},"at":${at},"value":${json()}}`,
  };
}
