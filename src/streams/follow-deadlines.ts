import {
  asapScheduler,
  asyncScheduler,
  concat,
  defer,
  EMPTY,
  filter,
  map,
  merge,
  observeOn,
  type Observable,
  Subject,
  startWith,
  switchMap,
  timer,
} from 'rxjs';
import type { Collection, Delta, SourceCollection } from '../collections/types.ts';
import type { Deadline } from '../projections/deadline.ts';

/** Timers do not run for more than 24 days; a clock that was put forward is noticed within this. */
const longestWait = 3_600_000;

/**
 * Tells projections about the moments that they wait for, by entries of `times`, and emits whenever that was news. Several may do so for the same
 * collections. Loss policy: none. Never errors, never completes.
 */
export function followDeadlines(
  deadlines: Collection<Deadline>,
  times: SourceCollection<true>,
): Observable<void> {
  return defer(() => {
    const pending = new Map<string, { readonly at: number; readonly told: Deadline['told'] }>();
    // What somebody told who has left.
    const told = new Set(times.keys());
    const changed = new Subject<void>();
    /** The next moment, as far as is known: it may have been given up. */
    let next = Infinity;

    /** Whether there is news. */
    const look = (key: string, now: number): boolean => {
      const wait = pending.get(key);
      const isAhead = wait !== undefined && wait.at > now;
      if (isAhead) next = Math.min(next, wait.at);
      else pending.delete(key);
      const tells = wait !== undefined && (wait.told === 'ahead') === isAhead;
      if (tells === told.has(key)) return false;
      if (tells) {
        told.add(key);
        times.set(key, true);
      } else {
        told.delete(key);
        times.delete(key);
      }
      return true;
    };
    const take = (deltas: Iterable<Pick<Delta<Deadline>, 'key' | 'after'>>): boolean => {
      const now = asyncScheduler.now();
      let isNews = false;
      for (const { key, after } of deltas) {
        if (after === undefined) pending.delete(key);
        else {
          const at = 'at' in after.when ? after.when.at : now + after.when.after;
          pending.set(key, { at, told: after.told });
        }
        isNews = look(key, now) || isNews;
      }
      return isNews;
    };
    const takeAll = (): boolean => {
      const now = asyncScheduler.now();
      next = Infinity;
      let isNews = false;
      for (const key of [...pending.keys()]) isNews = look(key, now) || isNews;
      return isNews;
    };

    const present = deadlines.keys().flatMap((key) => {
      const after = deadlines.peek(key);
      return after === undefined ? [] : [{ key, after }];
    });
    const stale = [...told].filter((key) => deadlines.peek(key) === undefined);
    const first = take([...present, ...stale.map((key) => ({ key }))]);
    const taken$ = deadlines.deltas$.pipe(
      map((deltas) => {
        const before = next;
        const isNews = take(deltas);
        if (next < before) changed.next();
        return isNews;
      }),
    );
    const due$ = changed.pipe(
      startWith(undefined),
      switchMap(function wait(): Observable<boolean> {
        if (next === Infinity) return EMPTY;
        const ms = Math.min(Math.max(next - asyncScheduler.now(), 0), longestWait);
        return timer(ms).pipe(switchMap(() => concat([takeAll()], defer(wait))));
      }),
    );
    // Entries come up while a turn ends: what follows from them is the next one.
    return merge([first], taken$, due$).pipe(
      filter((isNews) => isNews),
      map(() => undefined),
      observeOn(asapScheduler),
    );
  });
}
