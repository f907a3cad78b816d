import { Observable, type Subscription, timer, type MonoTypeOperatorFunction } from 'rxjs';

/**
 * Leading and trailing edge with a fixed maximum wait: the first value passes at once and opens a window of `windowMs`;
 * values within the window are held, and the newest goes out at its end, which opens the next window. A window that ends
 * with nothing held closes, and the next value passes at once again.
 *
 * Loss policy: latest wins within a window; no value waits longer than `windowMs`, and the last one always comes out,
 * also when the source completes. Errors pass at once. `debounceTime` would starve under constant change, `auditTime`
 * has no leading edge.
 *
 * @param windowMs milliseconds; 0 passes everything through.
 */
export function debounceMax<T>(windowMs: number): MonoTypeOperatorFunction<T> {
  return (source) =>
    windowMs <= 0
      ? source
      : new Observable<T>((subscriber) => {
          let held: { readonly value: T } | undefined;
          let window: Subscription | undefined;
          let completed = false;

          const openWindow = (): void => {
            window = timer(windowMs).subscribe({
              next: () => {
                window = undefined;
                flush();
              },
              error: (error: unknown) => subscriber.error(error),
            });
            subscriber.add(window);
          };
          const flush = (): void => {
            if (held !== undefined) {
              const { value } = held;
              held = undefined;
              // Open before emitting: a value that the emission itself causes belongs to the new window.
              if (!completed) openWindow();
              subscriber.next(value);
            }
            if (completed) subscriber.complete();
          };

          subscriber.add(
            source.subscribe({
              next: (value) => {
                held = { value };
                if (window === undefined) flush();
              },
              error: (error: unknown) => subscriber.error(error),
              complete: () => {
                completed = true;
                if (window === undefined || held === undefined) subscriber.complete();
              },
            }),
          );
        });
}
