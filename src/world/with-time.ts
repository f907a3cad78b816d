import { combineLatest, map, type Observable, startWith } from 'rxjs';
import { followDeadlines } from '../streams/follow-deadlines.ts';
import type { World } from './build-world.ts';

/** Changes of a configuration, those included that come of time alone: a certificate expires, a grace time is over. */
export function withTime<W extends Pick<World, 'waits'>>(
  world: W,
  changes$: Observable<unknown>,
): Observable<W> {
  const { deadlines, times } = world.waits;
  return combineLatest([changes$, followDeadlines(deadlines, times).pipe(startWith(undefined))]).pipe(
    map(() => world),
  );
}
