import { Observable, type OperatorFunction, type Subscription, timer } from 'rxjs';

/**
 * Lets items of many sets out one by one, each as often as once for all sets that it came in while it waited: `size` at a time,
 * with a pause between, so that a large set holds up nobody.
 *
 * Loss policy: an item that waits already is not let out twice; none is lost, also when the source completes. Order of arrival.
 * Errors pass at once.
 */
export function drainInSlices<T>(size: number): OperatorFunction<Iterable<T>, T> {
  return (source) =>
    new Observable<T>((subscriber) => {
      const waiting = new Set<T>();
      let pause: Subscription | undefined;
      let isSourceDone = false;

      const drain = (): void => {
        pause = undefined;
        let left = size;
        for (const item of waiting) {
          waiting.delete(item);
          subscriber.next(item);
          left -= 1;
          if (left === 0) break;
        }
        if (waiting.size > 0) wait();
        else if (isSourceDone) subscriber.complete();
      };
      const wait = (): void => {
        pause ??= timer(0).subscribe({
          next: drain,
          error: (error: unknown) => subscriber.error(error),
        });
      };

      subscriber.add(() => pause?.unsubscribe());
      subscriber.add(
        source.subscribe({
          next: (items) => {
            for (const item of items) waiting.add(item);
            if (waiting.size > 0) wait();
          },
          error: (error: unknown) => subscriber.error(error),
          complete: () => {
            isSourceDone = true;
            if (waiting.size === 0) subscriber.complete();
          },
        }),
      );
    });
}
