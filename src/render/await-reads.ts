import { asyncScheduler, concatMap, defer, merge, type Observable, of, take, tap, timer } from 'rxjs';
import type { OnDemandCache } from '../collections/on-demand-cache.ts';
import type { RenderOutcome } from '../protocol/render-outcome.ts';

type Cache = Pick<OnDemandCache<never>, 'waiting' | 'settled$' | 'attempts' | 'giveUp'>;

/** Whether the first render of a configuration still waits for objects that its templates read. */
export interface FirstReads {
  readonly caches: readonly Cache[];
  /** Longest wait in milliseconds, from the first attempt on. */
  readonly limit: number;
  /** When the first attempt began. */
  begunAt: number | undefined;
  isOver: boolean;
}

export function firstReads(caches: readonly Cache[], limit: number): FirstReads {
  return { caches, limit, begunAt: undefined, isOver: caches.length === 0 };
}

/**
 * A render of a configuration, which waits the first time for the objects that its templates read on demand: pods still run what a
 * former configuration or process gave them, and must not lose a certificate that is only not read yet. Once everything that
 * anybody reads is there or known to be unreadable, and at the latest `first.limit` after the first attempt, the render goes out;
 * what is missing then are problems that name the object, and comes with a later render.
 *
 * `turn$` is subscribed again for every look; unsubscribing ends it, and a later call goes on where it was. Later renders and
 * rejected ones are passed on as they are.
 */
export function awaitReads(turn$: Observable<RenderOutcome>, first: FirstReads): Observable<RenderOutcome> {
  const attempts = (): number => first.caches.reduce((sum, cache) => sum + cache.attempts, 0);
  const look = (): Observable<RenderOutcome> =>
    defer(() => {
      if (first.isOver) return turn$;
      first.begunAt ??= asyncScheduler.now();
      const before = attempts();
      return turn$.pipe(concatMap((outcome) => judged(outcome, before)));
    });
  const judged = (outcome: RenderOutcome, before: number): Observable<RenderOutcome> => {
    if (first.isOver || outcome.kind === 'rejected') return of(outcome);
    const isWaiting = first.caches.some(({ waiting }) => waiting > 0);
    const left = first.limit - (asyncScheduler.now() - (first.begunAt ?? 0));
    // What came while the turn went on may have come too late for it.
    if (left > 0 && !isWaiting && attempts() !== before) return look();
    if (!isWaiting) {
      first.isOver = true;
      return of(outcome);
    }
    const over$ = timer(Math.max(0, left)).pipe(tap(giveUp));
    return merge(over$, ...first.caches.map(({ settled$ }) => settled$)).pipe(take(1), concatMap(look));
  };
  const giveUp = (): void => {
    first.isOver = true;
    for (const cache of first.caches) cache.giveUp(`not read within ${first.limit / 1000} s`);
  };
  return look();
}
