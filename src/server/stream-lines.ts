import type { ServerResponse } from 'node:http';
import { BehaviorSubject, type Observable, Subscription, interval, timer } from 'rxjs';
import { errorMessage } from '../lib/error-message.ts';
import { whileOpen } from '../operators/while-open.ts';
import { guardHeaders } from './guard-headers.ts';
import type { LineWords } from './line-words.ts';

/** What one reader reads, from where it stopped. */
export interface LineSource {
  /**
   * Lines as they are written: at subscription the newest ones that were not taken yet, then each later one. What is emitted counts as
   * taken; between two subscriptions nothing is kept.
   */
  readonly chunk$: Observable<Uint8Array>;
  /** How many lines have passed by, of which `chunk$` will not tell. */
  readonly lost: () => number;
  /** They are no loss any more: the reader knows. */
  readonly skip: () => void;
}

export interface StreamOptions {
  readonly words: LineWords;
  /** Milliseconds between heartbeats; below the idle time-out of any client. */
  readonly heartbeat: number;
  /** End after so many values. */
  readonly limit?: number | undefined;
  /** End after so many milliseconds. */
  readonly lasts?: number | undefined;
  /** Told how many values this reader lost, once each: with every heartbeat, when it drains and when it ends. */
  readonly onDropped?: (count: number) => void;
}

/**
 * Writes a stream to one HTTP response: a line per value, a heartbeat when nothing else was written for a while. The response's owner
 * has hijacked it.
 *
 * Loss policy: a reader that does not keep up loses values, but for the newest ones that the source has kept, and is told how many by
 * `{"dropped":n}` when it drains. Meanwhile nobody is subscribed to the source, so that a reader that never reads costs it nothing, and lost
 * values are never made into text. Ends with the source, the limit, its time, or the connection; the returned subscription ends it too.
 */
export function streamLines(
  source: LineSource,
  response: ServerResponse,
  options: StreamOptions,
): Subscription {
  const subscription = new Subscription();
  const { words, limit, lasts } = options;
  const writable$ = new BehaviorSubject(true);
  /** How much of the present loss was told of already. */
  let reported = 0;
  let written = 0;
  let quiet = true;

  const write = (chunk: Uint8Array | string): void => {
    quiet = false;
    if (!response.write(chunk)) writable$.next(false);
  };
  const end = (): void => {
    subscription.unsubscribe();
    if (!response.writableEnded) response.end();
  };
  const reportLoss = (lost: number): void => {
    if (lost > reported) options.onDropped?.(lost - reported);
    reported = Math.max(lost, reported);
  };

  response.writeHead(200, {
    ...guardHeaders,
    'content-type': words.contentType,
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
  response.on('close', end);
  response.on('drain', () => {
    if (subscription.closed) return;
    const lost = source.lost();
    reportLoss(lost);
    source.skip();
    reported = 0;
    let hasRoom = true;
    if (lost > 0) hasRoom = response.write(words.besides('dropped', lost));
    writable$.next(hasRoom);
  });
  subscription.add(() => {
    if (!writable$.value) reportLoss(source.lost());
  });
  subscription.add(
    interval(options.heartbeat).subscribe({
      next: () => {
        if (!writable$.value) reportLoss(source.lost());
        else if (quiet) write(words.besides('heartbeat', true));
        quiet = true;
      },
      error: end,
    }),
  );
  if (lasts !== undefined) subscription.add(timer(lasts).subscribe({ next: end, error: end }));
  subscription.add(
    source.chunk$.pipe(whileOpen(writable$)).subscribe({
      next: (chunk) => {
        // Some come while this is being subscribed to, when nothing can be unsubscribed yet.
        if (subscription.closed) return;
        write(chunk);
        written++;
        if (limit !== undefined && written >= limit) end();
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
