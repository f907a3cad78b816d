import {
  asyncScheduler,
  type ObservableInput,
  Observable,
  type OperatorFunction,
  Subscription,
  from,
} from 'rxjs';

export interface SwitchMapFairOptions {
  /** Milliseconds for which newer values may keep on cancelling the running attempt before it is allowed to finish. */
  readonly maxStale: number;
}

/**
 * `switchMap` that cannot starve: a newer value cancels the running inner and starts over, until `maxStale` has passed
 * since the first value that has not been answered; from then on the running inner is allowed to complete, and only the
 * newest waiting value is projected after it.
 *
 * Loss policy: latest wins; the newest value is always projected. An answered value (its inner completed) ends the stale
 * period. Errors of the source, of `project` or of an inner pass at once.
 */
export function switchMapFair<T, R>(
  project: (value: T) => ObservableInput<R>,
  { maxStale }: SwitchMapFairOptions,
): OperatorFunction<T, R> {
  return (source) =>
    new Observable<R>((subscriber) => {
      let running: Subscription | undefined;
      let pending: { readonly value: T } | undefined;
      let staleSince: number | undefined;
      let draining = false;
      let sourceDone = false;

      const drain = (): void => {
        if (draining) return;
        draining = true;
        while (pending !== undefined && running === undefined && !subscriber.closed) {
          const { value } = pending;
          pending = undefined;
          staleSince ??= asyncScheduler.now();
          run(value);
        }
        draining = false;
        if (sourceDone && running === undefined && pending === undefined) subscriber.complete();
      };
      const run = (value: T): void => {
        let inner: Observable<R>;
        try {
          inner = from(project(value));
        } catch (error) {
          subscriber.error(error);
          return;
        }
        const attempt = new Subscription();
        running = attempt;
        subscriber.add(attempt);
        attempt.add(
          inner.subscribe({
            next: (result) => subscriber.next(result),
            error: (error: unknown) => subscriber.error(error),
            complete: () => {
              stop(attempt);
              staleSince = undefined;
              drain();
            },
          }),
        );
      };
      const stop = (attempt: Subscription): void => {
        subscriber.remove(attempt);
        attempt.unsubscribe();
        if (running === attempt) running = undefined;
      };

      subscriber.add(
        source.subscribe({
          next: (value) => {
            pending = { value };
            const stale = staleSince !== undefined && asyncScheduler.now() - staleSince >= maxStale;
            if (running !== undefined && !stale) stop(running);
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
