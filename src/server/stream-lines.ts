import type { ServerResponse } from 'node:http';
import { type Observable, Subscription, interval } from 'rxjs';
import { errorMessage } from '../lib/error-message.ts';

export interface StreamOptions {
  /** NDJSON: a line per value. SSE (`text/event-stream`, the HTML standard's server-sent events): an event per value. */
  readonly format: 'ndjson' | 'sse';
  /** Milliseconds between heartbeats; below the idle time-out of any client. */
  readonly heartbeat: number;
  /** End after so many values. */
  readonly limit?: number | undefined;
  /** Told how many values this reader lost, when it is found out. */
  readonly onDropped?: (count: number) => void;
}

export interface LazyLine {
  /** Of two lines that wait under one key, the newer one counts. */
  readonly key: string;
  /** The value's JSON on one line, made when there is room for it. */
  readonly json: () => string;
}

/**
 * Writes a stream to one HTTP response: a line per value, a heartbeat when nothing else was written for a while. The response's owner
 * has hijacked it.
 *
 * Loss policy: a reader that does not keep up loses values, but for the newest one under each key, and is told how many by `{"dropped":n}`
 * when it drains; the source is never held up, and lost values are never made into text. Ends with the source, the limit, or the
 * connection; the returned subscription ends it too.
 */
export function streamLines(
  source$: Observable<LazyLine>,
  response: ServerResponse,
  options: StreamOptions,
): Subscription {
  const subscription = new Subscription();
  const words = options.format === 'sse' ? sse : ndjson;
  /** The newest lines for which there was no room. */
  const held = new Map<string, LazyLine>();
  let full = false;
  let dropped = 0;
  let written = 0;
  let quiet = true;

  const write = (text: string): void => {
    quiet = false;
    full = !response.write(text);
  };
  const end = (): void => {
    subscription.unsubscribe();
    if (!response.writableEnded) response.end();
  };

  response.writeHead(200, {
    'content-type': words.contentType,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  });
  response.flushHeaders();
  response.on('close', end);
  const writeValue = ({ json }: LazyLine): void => {
    write(words.value(json()));
    written++;
    if (options.limit !== undefined && written >= options.limit) end();
  };
  response.on('drain', () => {
    full = false;
    const lines = [...held.values()];
    held.clear();
    if (dropped > 0) {
      const lost = dropped;
      dropped = 0;
      options.onDropped?.(lost);
      write(words.besides('dropped', lost));
    }
    for (const line of lines) if (!subscription.closed) writeValue(line);
  });
  subscription.add(() => {
    if (dropped > 0) options.onDropped?.(dropped);
  });
  subscription.add(
    interval(options.heartbeat).subscribe({
      next: () => {
        if (quiet && !full) write(words.besides('heartbeat', true));
        quiet = true;
      },
      error: end,
    }),
  );
  subscription.add(
    source$.subscribe({
      next: (line) => {
        if (!full) {
          writeValue(line);
          return;
        }
        if (held.delete(line.key)) dropped++;
        held.set(line.key, line);
      },
      error: (error: unknown) => {
        write(words.besides('error', errorMessage(error)));
        end();
      },
      complete: end,
    }),
  );
  return subscription;
}

/** What a stream says besides its values. */
type Besides = (what: 'dropped' | 'heartbeat' | 'error', value: unknown) => string;

interface Words {
  readonly contentType: string;
  readonly value: (json: string) => string;
  readonly besides: Besides;
}

const ndjson: Words = {
  contentType: 'application/x-ndjson',
  value: (json) => `${json}\n`,
  besides: (what, value) => `${JSON.stringify({ [what]: value })}\n`,
};

/** Values are plain messages; what else there is has an event type, but a heartbeat, which is a comment. */
const sse: Words = {
  contentType: 'text/event-stream',
  value: (json) => `data: ${json}\n\n`,
  besides: (what, value) =>
    what === 'heartbeat' ? ': heartbeat\n\n' : `event: ${what}\ndata: ${JSON.stringify(value)}\n\n`,
};
