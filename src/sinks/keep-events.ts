import {
  EMPTY,
  type Observable,
  defer,
  distinctUntilChanged,
  ignoreElements,
  merge,
  share,
  switchMap,
  tap,
} from 'rxjs';
import type { EventChange, EventFact } from './event-fact.ts';
import { type EventEffects, type EventLimits, type EventReport, tellEvents } from './event-teller.ts';

/**
 * Tells what begins, happens and holds on in Events, while this process leads; see {@link tellEvents}. One that does not lead keeps
 * itself informed of what holds.
 *
 * Loss policy: what happens while nobody leads is not told; what holds then is. Never errors, never completes.
 */
export function keepEvents(
  change$: Observable<EventChange>,
  leader$: Observable<boolean>,
  effects: EventEffects,
  limits: EventLimits,
): Observable<EventReport> {
  return defer(() => {
    const holding = new Map<string, EventFact>();
    const kept$ = change$.pipe(
      tap((change) => {
        if (change.kind === 'begun') holding.set(change.fact.key, change.fact);
        if (change.kind === 'ended') holding.delete(change.key);
      }),
      share(),
    );
    return merge(
      kept$.pipe(ignoreElements()),
      leader$.pipe(
        distinctUntilChanged(),
        // A source, not work: who leads no more ends all requests.
        switchMap((isLeader) => (isLeader ? tellEvents(kept$, holding, effects, limits) : EMPTY)),
      ),
    );
  });
}
