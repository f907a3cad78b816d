import { Observable, Subject, Subscription, of, race, take, timer, asyncScheduler } from 'rxjs';

/** A circuit breaker: work that is bound to fail waits together, and one of it finds out whether it still is. */
export interface Breaker {
  /**
   * Emits once and completes when work may begin: at once while the breaker is closed. While it is open, one of those who wait
   * may try at the end of each pause; all may as soon as it is closed.
   */
  admit(): Observable<void>;
  /** Work failed in a way that other work will too. Who trips it while it is open makes the pause longer, never shorter. */
  trip(milliseconds: number): void;
  /** Work went well. */
  close(): void;
  readonly isOpen: boolean;
}

/** A closed breaker. Waiting costs one timer for each who waits. */
export function createBreaker(): Breaker {
  const closed = new Subject<void>();
  /** When the next attempt may be made, and how long the pause after it is. */
  let open: { until: number; pause: number } | undefined;

  const wait = (): Observable<void> =>
    new Observable<void>((subscriber) => {
      const waiting = new Subscription();
      const look = (): void => {
        const now = asyncScheduler.now();
        if (open !== undefined && now < open.until) {
          waiting.add(
            race(timer(open.until - now), closed)
              .pipe(take(1))
              .subscribe({ next: look, error: (error: unknown) => subscriber.error(error) }),
          );
          return;
        }
        // The trial: the others wait for how it ends, or for another pause if it never does.
        if (open !== undefined) open = { until: now + open.pause, pause: open.pause };
        subscriber.next();
        subscriber.complete();
      };
      look();
      return waiting;
    });

  return {
    admit: () => (open === undefined ? of(undefined) : wait()),
    trip: (milliseconds) => {
      const until = asyncScheduler.now() + milliseconds;
      open = { until: Math.max(until, open?.until ?? 0), pause: milliseconds };
    },
    close: () => {
      if (open === undefined) return;
      open = undefined;
      closed.next();
    },
    get isOpen() {
      return open !== undefined;
    },
  };
}
