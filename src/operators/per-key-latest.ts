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

export interface PerKeyLatestOptions<T, R> {
  readonly keyOf: (value: T) => string;
  /**
   * One delivery. `newer$` emits when a newer value of this key is waiting, and at once to who subscribes while one waits: an
   * inner that only waits (a retry delay) should complete then. It never errors and never completes.
   */
  readonly project: (value: T, newer$: Observable<void>) => ObservableInput<R>;
  /** How many inners run at once, over all keys. Further keys wait in order of arrival. */
  readonly concurrent: number;
  /** True when a value asks for nothing that the last started value of its key did not: it is then skipped. Default: identity. */
  readonly same?: (a: T, b: T) => boolean;
}

interface Slot<T> {
  /** Newest value, not started yet. */
  pending?: { readonly value: T };
  /** Value last started: a running or finished delivery. */
  started?: { readonly value: T };
  running?: Subscription;
  readonly newer: Subject<void>;
}

/** A wish that came before somebody began to wait is news to him too, as long as it waits. */
function newerOf<T>(slot: Slot<T>): Observable<void> {
  return defer(() => (slot.pending === undefined ? slot.newer : slot.newer.pipe(startWith(undefined))));
}

/**
 * Level-triggered fan-out: each source value is the whole set of wanted deliveries, at most one per key. Every key runs
 * one inner at a time; a newer value of a busy key replaces the one waiting and runs after it; a key that is not in the
 * newest set has its inner cancelled and its slot removed, so nothing is left of it.
 *
 * Loss policy: latest wins per key; the newest value of every present key is always delivered. Errors pass at once.
 * `groupBy` with a flattening operator either leaks a group per dead key or runs one key twice.
 */
export function perKeyLatest<T, R>(options: PerKeyLatestOptions<T, R>): OperatorFunction<readonly T[], R> {
  const { keyOf, project, concurrent, same = Object.is } = options;
  return (source) =>
    new Observable<R>((subscriber) => {
      const slots = new Map<string, Slot<T>>();
      const queue = new Set<string>();
      let active = 0;
      let draining = false;
      let sourceDone = false;

      const offer = (key: string, value: T): void => {
        let slot = slots.get(key);
        if (slot === undefined) {
          slot = { newer: new Subject() };
          slots.set(key, slot);
        }
        if (slot.started !== undefined && same(slot.started.value, value)) {
          // The newest wish is what runs (or ran) already; a wish in between is out of date.
          delete slot.pending;
          return;
        }
        slot.pending = { value };
        if (slot.running !== undefined) slot.newer.next();
        else queue.add(key);
      };
      const drop = (key: string, slot: Slot<T>): void => {
        slots.delete(key);
        queue.delete(key);
        if (slot.running !== undefined) finish(slot, slot.running);
      };
      const drain = (): void => {
        if (draining) return;
        draining = true;
        for (const key of queue) {
          if (active >= concurrent || subscriber.closed) break;
          queue.delete(key);
          const slot = slots.get(key);
          if (slot?.pending !== undefined) start(key, slot, slot.pending);
        }
        draining = false;
        if (sourceDone && active === 0 && queue.size === 0) subscriber.complete();
      };
      const start = (key: string, slot: Slot<T>, wanted: { readonly value: T }): void => {
        delete slot.pending;
        slot.started = wanted;
        let inner: Observable<R>;
        try {
          inner = from(project(wanted.value, newerOf(slot)));
        } catch (error) {
          subscriber.error(error);
          return;
        }
        const running = new Subscription();
        slot.running = running;
        active++;
        subscriber.add(running);
        running.add(
          inner.subscribe({
            next: (result) => subscriber.next(result),
            error: (error: unknown) => subscriber.error(error),
            complete: () => {
              finish(slot, running);
              if (slot.pending !== undefined && slots.get(key) === slot) queue.add(key);
              drain();
            },
          }),
        );
      };
      const finish = (slot: Slot<T>, running: Subscription): void => {
        if (slot.running !== running) return;
        delete slot.running;
        active--;
        subscriber.remove(running);
        running.unsubscribe();
      };

      subscriber.add(
        source.subscribe({
          next: (wanted) => {
            const present = new Map(wanted.map((value) => [keyOf(value), value]));
            for (const [key, slot] of slots) if (!present.has(key)) drop(key, slot);
            for (const [key, value] of present) offer(key, value);
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
