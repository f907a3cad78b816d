import { errorMessage } from '../lib/error-message.ts';
import type { ServerResponse } from 'node:http';
import { type Observable, Subscription, interval } from 'rxjs';

export interface NdjsonOptions {
  /** Milliseconds between heartbeats; below the idle time-out of any client. */
  readonly heartbeat: number;
  /** End after so many values. */
  readonly limit?: number | undefined;
}

/**
 * Writes a stream to one HTTP response as NDJSON: a line per value, `{"heartbeat":true}` when nothing else was written for a
 * while. The response's owner has hijacked it.
 *
 * Loss policy: a reader that does not keep up loses values and is told so by `{"dropped":n}` when it drains; the source is
 * never held up. Ends with the source, the limit, or the connection; the returned subscription ends it too.
 */
export function streamNdjson(
  source$: Observable<unknown>,
  response: ServerResponse,
  options: NdjsonOptions,
): Subscription {
  const subscription = new Subscription();
  let full = false;
  let dropped = 0;
  let written = 0;
  let quiet = true;

  const writeLine = (value: unknown): void => {
    quiet = false;
    full = !response.write(`${JSON.stringify(value)}\n`);
  };
  const end = (): void => {
    subscription.unsubscribe();
    if (!response.writableEnded) response.end();
  };

  response.writeHead(200, {
    'content-type': 'application/x-ndjson',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
  response.on('close', end);
  response.on('drain', () => {
    full = false;
    if (dropped === 0) return;
    const lost = dropped;
    dropped = 0;
    writeLine({ dropped: lost });
  });
  subscription.add(
    interval(options.heartbeat).subscribe({
      next: () => {
        if (quiet && !full) writeLine({ heartbeat: true });
        quiet = true;
      },
      error: end,
    }),
  );
  subscription.add(
    source$.subscribe({
      next: (value) => {
        if (full) {
          dropped++;
          return;
        }
        writeLine(value);
        written++;
        if (options.limit !== undefined && written >= options.limit) end();
      },
      error: (error: unknown) => {
        writeLine({ error: errorMessage(error) });
        end();
      },
      complete: end,
    }),
  );
  return subscription;
}
