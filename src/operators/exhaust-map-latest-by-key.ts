import {
  type ObservableInput,
  Observable,
  type OperatorFunction,
  Subject,
  Subscription,
  defer,
  from,
  startWith,
} from 'rxjs';

export interface ExhaustMapLatestByKeyOptions<T, R> {
  readonly keyOf: (value: T) => string;
  /**
   * One piece of work. `newer$` emits when a newer value of this key is waiting, and at once to who subscribes while one waits: an
   * inner that only waits should complete then. It never errors and never completes.
   */
  readonly project: (value: T, newer$: Observable<void>) => ObservableInput<R>;
}

interface Slot<T> {
  pending?: { readonly value: T };
  readonly newer: Subject<void>;
}

/**
 * Runs one inner at a time for each key; while it runs, only the newest value of its key is kept, and it is projected when the
 * inner completes. The source tells what changed: what is wanted of other keys stays as it is, so a change costs nothing but itself,
 * where `perKeyLatest` takes the whole of what is wanted. How many run at once is for `project` to bound.
 *
 * Loss policy: latest wins per key; the newest value of every key is always projected. Nothing is ever cancelled but by unsubscribing.
 * Nothing is kept of a key that has nothing to do. An error of the source, of `project` or of an inner errors the result at once.
 */
export function exhaustMapLatestByKey<T, R>({
  keyOf,
  project,
}: ExhaustMapLatestByKeyOptions<T, R>): OperatorFunction<T, R> {
  return (source) =>
    new Observable<R>((subscriber) => {
      const slots = new Map<string, Slot<T>>();
      let isSourceDone = false;

      const end = (): void => {
        if (isSourceDone && slots.size === 0) subscriber.complete();
      };
      /** A loop, so that synchronous inners cannot grow the stack. */
      const drain = (key: string, slot: Slot<T>): void => {
        while (slot.pending !== undefined && !subscriber.closed) {
          const { value } = slot.pending;
          delete slot.pending;
          if (!isOver(run(key, slot, value))) return;
        }
        slots.delete(key);
        end();
      };
      const run = (key: string, slot: Slot<T>, value: T): { isDone: boolean } => {
        const state = { isDone: false, isAsync: false };
        let inner: Observable<R>;
        try {
          inner = from(project(value, newerOf(slot)));
        } catch (error) {
          subscriber.error(error);
          return state;
        }
        const running = new Subscription();
        subscriber.add(running);
        running.add(
          inner.subscribe({
            next: (result) => subscriber.next(result),
            error: (error: unknown) => subscriber.error(error),
            complete: () => {
              state.isDone = true;
              subscriber.remove(running);
              if (state.isAsync) drain(key, slot);
            },
          }),
        );
        state.isAsync = true;
        return state;
      };

      subscriber.add(
        source.subscribe({
          next: (value) => {
            const key = keyOf(value);
            const known = slots.get(key);
            if (known !== undefined) {
              known.pending = { value };
              known.newer.next();
              return;
            }
            const slot: Slot<T> = { pending: { value }, newer: new Subject() };
            slots.set(key, slot);
            drain(key, slot);
          },
          error: (error: unknown) => subscriber.error(error),
          complete: () => {
            isSourceDone = true;
            end();
          },
        }),
      );
    });
}

/** What `run` returned may have changed since: the inner may have completed while it was subscribed to. */
function isOver({ isDone }: { readonly isDone: boolean }): boolean {
  return isDone;
}

/** A value that came before somebody began to wait is news to him too, as long as it waits. */
function newerOf<T>(slot: Slot<T>): Observable<void> {
  return defer(() => (slot.pending === undefined ? slot.newer : slot.newer.pipe(startWith(undefined))));
}
