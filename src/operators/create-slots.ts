import { Observable, type Subscription } from 'rxjs';

export interface SlotLimits {
  /** Works at once. */
  readonly total: number;
  /** Of these, at most so many that are under suspicion: what is known to be slow leaves room for the others. */
  readonly suspects: number;
}

export interface Slots {
  /** The same work, begun when a slot is free. Unsubscribing ends it, or gives up its place in the queue. */
  run<T>(work$: Observable<T>, options?: { readonly isSuspect?: boolean }): Observable<T>;
  /** Works that run now. */
  readonly busy: () => number;
}

interface Waiting {
  readonly isSuspect: boolean;
  readonly begin: () => void;
}

/**
 * Bounds how much runs at the same time. Those without suspicion go first, but for one of the others where none of them runs; each
 * kind goes in order of arrival.
 *
 * Loss policy: none, everything that stays subscribed gets its turn. Errors and completion pass and free the slot.
 */
export function createSlots(limits: SlotLimits): Slots {
  const trusted = new Set<Waiting>();
  const suspects = new Set<Waiting>();
  let busy = 0;
  let busySuspects = 0;

  const next = (): Waiting | undefined => {
    if (busy >= limits.total) return undefined;
    const [first] = trusted;
    if (busySuspects >= limits.suspects) return first;
    const [suspect] = suspects;
    // The others may never end: one slot is for those under suspicion when they have none.
    const isStarving = busySuspects === 0 && limits.total > 1;
    return isStarving ? (suspect ?? first) : (first ?? suspect);
  };
  let filling = false;
  const fill = (): void => {
    // A loop, not recursion: synchronous works end within `begin`.
    if (filling) return;
    filling = true;
    for (let waiting = next(); waiting !== undefined; waiting = next()) {
      (waiting.isSuspect ? suspects : trusted).delete(waiting);
      busy++;
      if (waiting.isSuspect) busySuspects++;
      waiting.begin();
    }
    filling = false;
  };

  return {
    busy: () => busy,
    run: <T>(work$: Observable<T>, { isSuspect = false } = {}) =>
      new Observable<T>((subscriber) => {
        let running: Subscription | undefined;
        const waiting: Waiting = {
          isSuspect,
          begin: () => {
            running = work$.subscribe(subscriber);
          },
        };
        const queue = isSuspect ? suspects : trusted;
        queue.add(waiting);
        subscriber.add(() => {
          // Still in the queue: it never began.
          if (queue.delete(waiting)) return;
          running?.unsubscribe();
          busy--;
          if (isSuspect) busySuspects--;
          fill();
        });
        fill();
      }),
  };
}
