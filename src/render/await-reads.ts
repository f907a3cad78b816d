import { asyncScheduler, concatMap, defer, merge, type Observable, of, take, tap, timer } from 'rxjs';
import type { OnDemandCache } from '../collections/on-demand-cache.ts';
import type { RenderOutcome } from '../protocol/render-outcome.ts';

type Cache = Pick<OnDemandCache<never>, 'waiting' | 'settled$' | 'attempts' | 'giveUp'>;

/** Whether the first render of a configuration still waits for objects that its templates read. */
export interface FirstReads {
  readonly caches: readonly Cache[];
  /** Longest wait in milliseconds without anything coming, and in all, from the first attempt on. */
  readonly limits: { readonly idle: number; readonly total: number };
  /** When the first attempt began. */
  begunAt: number | undefined;
  /** Attempts to read that had ended when last looked, and since when they are so many. */
  progress: { readonly attempts: number; readonly at: number } | undefined;
  isOver: boolean;
}

/** Milliseconds after which what has come is taken in: it need not stay in memory until everything is there. */
const lookEvery = 100;

export function firstReads(caches: readonly Cache[], limits: FirstReads['limits']): FirstReads {
  return {
    caches,
    limits,
    begunAt: undefined,
    progress: undefined,
    isOver: caches.length === 0,
  };
}

/**
 * A render of a configuration, which waits the first time for the objects that its templates read on demand: pods still run what a
 * former configuration or process gave them, and must not lose a certificate that is only not read yet. Once everything that
 * anybody reads is there or known to be unreadable, and at the latest when nothing has come for a while, the render goes out;
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
      const before = attempts();
      const now = asyncScheduler.now();
      first.begunAt ??= now;
      if (before !== first.progress?.attempts) first.progress = { attempts: before, at: now };
      return turn$.pipe(concatMap((outcome) => judged(outcome, before)));
    });
  const judged = (outcome: RenderOutcome, before: number): Observable<RenderOutcome> => {
    if (first.isOver || outcome.kind === 'rejected') return of(outcome);
    const isWaiting = first.caches.some(({ waiting }) => waiting > 0);
    const left = leftOf(first, asyncScheduler.now());
    // What came while the turn went on may have come too late for it.
    if (left > 0 && !isWaiting && attempts() !== before) return look();
    if (!isWaiting) {
      first.isOver = true;
      return of(outcome);
    }
    const over$ = timer(Math.max(0, left)).pipe(tap(giveUp));
    const settled$ = first.caches.map((cache) => cache.settled$);
    return merge(over$, timer(lookEvery), ...settled$).pipe(take(1), concatMap(look));
  };
  const giveUp = (): void => {
    first.isOver = true;
    for (const cache of first.caches) cache.giveUp('not read in time');
  };
  return look();
}

/** Milliseconds until waiting ends. */
function leftOf({ begunAt = 0, progress, limits }: FirstReads, now: number): number {
  return Math.min(limits.idle - (now - (progress?.at ?? now)), limits.total - (now - begunAt));
}
