import {
  EMPTY,
  type Observable,
  asyncScheduler,
  combineLatest,
  concat,
  defer,
  distinctUntilChanged,
  filter,
  ignoreElements,
  map,
  merge,
  race,
  startWith,
  switchMap,
  take,
  tap,
  timer,
} from 'rxjs';
import { coalesce } from '../../operators/coalesce.ts';
import { perKeyLatest } from '../../operators/per-key-latest.ts';
import type { DeliveryReport } from '../../protocol/delivery-report.ts';
import type { PublishReport } from './publish-effects.ts';
import type { PublishState } from './publish-state.ts';
import { createPublishTerm, type PublishTermDeps } from './publish-term.ts';

export interface PublishInputs {
  /** The present state at once, then every change. */
  readonly state$: Observable<PublishState>;
  readonly delivery$: Observable<DeliveryReport>;
  /** True as long as this process may write. */
  readonly leader$: Observable<boolean>;
}

/**
 * Keeps the objects that show what runs at what was accepted last. A term begins with a look at what is there, so that a new leader
 * writes nothing where nothing has changed. The first state goes out at once; then there is a round per interval at most, of the newest
 * state, and none while nothing changes. What fails is tried again with growing pauses, each object by itself; everything is looked
 * at again after `resync`.
 *
 * Loss policy: latest state wins; of the pods, the last report of each. The end of a term ends all requests. Never errors, never
 * completes.
 */
export function publishRenders(inputs: PublishInputs, deps: PublishTermDeps): Observable<PublishReport> {
  const { timing } = deps;
  return inputs.leader$.pipe(
    distinctUntilChanged(),
    // A source, not work: who leads no more ends all requests.
    switchMap((isLeader) => (isLeader ? lead() : EMPTY)),
  );

  function lead(): Observable<PublishReport> {
    return defer(() => {
      const term = createPublishTerm(deps);
      const news$ = inputs.delivery$.pipe(
        filter((report) => term.note(report)),
        map(() => undefined),
      );
      const resync$ = timer(timing.resync, timing.resync).pipe(tap(term.restock));
      const ticks$ = merge(news$, resync$).pipe(startWith(undefined));

      const rest = (
        state: PublishState,
        newer$: Observable<void>,
        until: number,
      ): Observable<PublishReport> =>
        defer(() => {
          const now = asyncScheduler.now();
          const due = term.due();
          const again = (): Observable<PublishReport> =>
            concat(term.round(state, true), rest(state, newer$, until));
          if (due !== undefined && due < until) return after(due - now, again);
          const held$ = timer(Math.max(0, until - now)).pipe(ignoreElements());
          // From the end of the interval on, something newer goes first.
          return due === undefined ? held$ : concat(held$, unless(newer$, due, again));
        });

      return combineLatest([inputs.state$, ticks$]).pipe(
        coalesce(),
        map(([state]) => [state]),
        // One at a time and the newest next, which may have come before anybody waits for it.
        perKeyLatest({
          keyOf: () => 'all',
          same: () => false,
          concurrent: 1,
          project: (state, newer$) =>
            defer(() => {
              const until = asyncScheduler.now() + state.options.interval;
              return concat(term.round(state, false), rest(state, newer$, until));
            }),
        }),
      );
    });
  }
}

function after<T>(pause: number, next: () => Observable<T>): Observable<T> {
  return timer(Math.max(0, pause)).pipe(switchMap(next));
}

/** Waits until then, and goes on unless there is something newer. */
function unless<T>(newer$: Observable<void>, due: number, next: () => Observable<T>): Observable<T> {
  return defer(() => {
    const pause = Math.max(0, due - asyncScheduler.now());
    return race(newer$.pipe(map(() => false)), timer(pause).pipe(map(() => true)));
  }).pipe(
    take(1),
    switchMap((isDue) => (isDue ? next() : EMPTY)),
  );
}
