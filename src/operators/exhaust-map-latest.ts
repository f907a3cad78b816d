import { type ObservableInput, Observable, type OperatorFunction, Subject, Subscription, from } from 'rxjs';

/**
 * Runs one inner Observable at a time; while it runs, only the newest value is kept, and it is projected when the inner
 * completes.
 *
 * Loss policy: values in the middle of a busy period are dropped, the newest never is: `exhaustMap` forgets it. Nothing
 * is ever cancelled but by unsubscribing. An error of the source, of `project` or of an inner errors the result at once.
 * `newer$`, given to `project`, emits when a newer value is waiting: an inner that only waits should complete then.
 * A loop drains pending values, so that synchronous inners cannot grow the stack.
 */
export function exhaustMapLatest<T, R>(
  project: (value: T, newer$: Observable<void>) => ObservableInput<R>,
): OperatorFunction<T, R> {
  return (source) =>
    new Observable<R>((subscriber) => {
      const newer = new Subject<void>();
      const newer$ = newer.asObservable();
      let pending: { readonly value: T } | undefined;
      let busy = false;
      let draining = false;
      let sourceDone = false;

      const drain = (): void => {
        if (draining) return;
        draining = true;
        while (pending !== undefined && !busy && !subscriber.closed) {
          const { value } = pending;
          pending = undefined;
          run(value);
        }
        draining = false;
        if (sourceDone && !busy && pending === undefined) subscriber.complete();
      };
      const run = (value: T): void => {
        let inner: Observable<R>;
        try {
          inner = from(project(value, newer$));
        } catch (error) {
          subscriber.error(error);
          return;
        }
        busy = true;
        const running = new Subscription();
        subscriber.add(running);
        running.add(
          inner.subscribe({
            next: (result) => subscriber.next(result),
            error: (error: unknown) => subscriber.error(error),
            complete: () => {
              busy = false;
              subscriber.remove(running);
              drain();
            },
          }),
        );
      };

      subscriber.add(
        source.subscribe({
          next: (value) => {
            pending = { value };
            if (busy) newer.next();
            drain();
          },
          error: (error: unknown) => subscriber.error(error),
          complete: () => {
            sourceDone = true;
            drain();
          },
        }),
      );
    });
}
