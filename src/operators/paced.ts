import { Observable, type OperatorFunction, type Subscription, asyncScheduler, timer } from 'rxjs';
import { type BucketLimits, createTokenBucket } from '../lib/token-bucket.ts';

export interface PacedOptions<T> extends BucketLimits {
  /** Values that may wait. */
  readonly size: number;
  /** Told of each value for which there is no room. */
  readonly onDrop: (value: T) => void;
}

/**
 * Lets `burst` values through at once, and one more every `interval` milliseconds after that; others wait, in order.
 *
 * Loss policy: a value that comes while `size` of them wait is dropped and told. Waiting ones are lost to nobody but who
 * unsubscribes. Errors pass at once.
 */
export function paced<T>({ size, onDrop, ...limits }: PacedOptions<T>): OperatorFunction<T, T> {
  return (source) =>
    new Observable<T>((subscriber) => {
      const bucket = createTokenBucket(limits);
      const waiting: { readonly value: T }[] = [];
      let pause: Subscription | undefined;
      let draining = false;
      let isSourceDone = false;

      const drain = (): void => {
        // A loop, not recursion: values may come from within an emission.
        if (draining || pause !== undefined) return;
        draining = true;
        while (waiting.length > 0 && !subscriber.closed && bucket.take(asyncScheduler.now())) {
          const next = waiting.shift();
          if (next !== undefined) subscriber.next(next.value);
        }
        draining = false;
        if (waiting.length > 0) wait();
        else if (isSourceDone) subscriber.complete();
      };
      const wait = (): void => {
        pause = timer(bucket.wait(asyncScheduler.now())).subscribe({
          next: () => {
            pause = undefined;
            drain();
          },
          error: (error: unknown) => subscriber.error(error),
        });
      };

      subscriber.add(() => pause?.unsubscribe());
      subscriber.add(
        source.subscribe({
          next: (value) => {
            if (waiting.length >= size) {
              onDrop(value);
              return;
            }
            waiting.push({ value });
            drain();
          },
          error: (error: unknown) => subscriber.error(error),
          complete: () => {
            isSourceDone = true;
            drain();
          },
        }),
      );
    });
}
