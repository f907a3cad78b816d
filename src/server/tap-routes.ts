import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { Subscription } from 'rxjs';
import { errorMessage } from '../lib/error-message.ts';
import { selectPaths } from '../lib/select-paths.ts';
import type { TapValue, Taps } from '../operators/taps.ts';
import { type LineWords, lineWords } from './line-words.ts';
import { streamLines } from './stream-lines.ts';
import { tapLines } from './tap-lines.ts';

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
      const { field: paths = [] } = request.query;
      let textOf = plain;
      try {
        if (paths.length > 0) textOf = selected(paths);
      } catch (error) {
        return reply.code(400).send({ error: errorMessage(error) });
      }
      return stream(request, reply, [request.params.name], textOf);
    },
  );

  app.get<{ Querystring: Bounds & { tap: readonly string[] } }>(
    '/debug/stream',
    { schema: { querystring: manyTaps } },
    (request, reply) => stream(request, reply, [...new Set(request.query.tap)], enveloped),
  );
  done();

  function stream(
    request: FastifyRequest<{ Querystring: Bounds }>,
    reply: FastifyReply,
    names: readonly string[],
    textOf: TextOf,
  ): FastifyReply {
    const { for: seconds, limit, sample } = request.query;
    const words = wordsFor(request);
    const lines = tapLines(taps, { names, sample, chunkOf: textOf[words] });
    if (lines === undefined) return unknownTap(reply, names);
    if (readers >= mostReaders)
      return reply.code(503).send({ error: `${mostReaders} streams are open, and no more are served` });
    reply.hijack();
    readers += 1;
    deps.onReaders(1);
    const { heartbeat, onDropped } = deps;
    const running = streamLines(lines, reply.raw, {
      words: lineWords[words],
      heartbeat,
      limit,
      lasts: seconds === undefined ? undefined : seconds * 1000,
      onDropped,
    });
    open.add(running);
    running.add(() => {
      readers -= 1;
      deps.onReaders(-1);
      open.remove(running);
      if (!reply.raw.writableEnded) reply.raw.end();
    });
    return reply;
  }

  function unknownTap(reply: FastifyReply, names: readonly string[]): FastifyReply {
    const known = taps.names();
    const unknown = names.find((name) => !known.includes(name)) ?? '';
    return reply.code(404).send({ error: `no tap named ${unknown}; there are: ${known.join(', ')}` });
  }
};

/** A value as it is written, by the name of the words. */
type ChunkOf = (value: TapValue) => Uint8Array;
type TextOf = Readonly<Record<keyof typeof lineWords, ChunkOf>>;

function wordsFor({ headers }: FastifyRequest): keyof typeof lineWords {
  return (headers.accept ?? '').includes('text/event-stream') ? 'sse' : 'ndjson';
}

const plain = textsBy((words, { json }) => words.value(json()), shared);

const enveloped = textsBy(
  (words, { tap, seq, at, json }) =>
    words.value(`{"tap":${JSON.stringify(tap)},"seq":${seq},"at":${at},"value":${json()}}`),
  shared,
);

/** Throws what `selectPaths` throws. */
function selected(paths: readonly string[]): TextOf {
  const show = selectPaths(paths);
  return textsBy((words, { data }) => words.value(JSON.stringify(show(data()))));
}

function textsBy(
  write: (words: LineWords, value: TapValue) => string,
  keep: (chunkOf: ChunkOf) => ChunkOf = (chunkOf) => chunkOf,
): TextOf {
  const by = (words: LineWords): ChunkOf => keep((value) => Buffer.from(write(words, value)));
  return { ndjson: by(lineWords.ndjson), sse: by(lineWords.sse) };
}

/** All readers of a value are sent the same bytes, which are made once. */
function shared(chunkOf: ChunkOf): ChunkOf {
  const made = new WeakMap<TapValue, Uint8Array>();
  return (value) => {
    const former = made.get(value);
    if (former !== undefined) return former;
    const chunk = chunkOf(value);
    made.set(value, chunk);
    return chunk;
  };
}
