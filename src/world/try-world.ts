import {
  EMPTY,
  Observable,
  asyncScheduler,
  concat,
  concatMap,
  defer,
  expand,
  filter,
  map,
  of,
  switchMap,
  take,
  timer,
  timeout,
} from 'rxjs';
import type { LatchVerdict } from '../gate/latch.ts';
import { onRender, onVerdict } from '../gate/quarantine.ts';
import type { QuarantineState } from '../gate/quarantine-state.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { Plan } from '../protocol/plan.ts';
import type { HeldObjects } from '../protocol/provenance.ts';
import type { RenderOutcome } from '../protocol/render-outcome.ts';
import type { TrialEvent } from './load-gate.ts';

export interface TryWorldDeps<World, V extends LatchVerdict> {
  /** Emits when every store is there, and then whenever something changed. */
  readonly changes: (world: World) => Observable<unknown>;
  /** Kinds that are not there yet. */
  readonly waitingFor: (world: World) => readonly string[];
  readonly render: (world: World, held: HeldObjects) => Observable<RenderOutcome>;
  /** One verdict, then completion. */
  readonly check: (world: World, plan: Plan) => Observable<V>;
  /** Who is held in the first render, and who must not be left out: once. */
  readonly begin: (world: World) => Observable<QuarantineState>;
  /** A refusal for people, one text for each thing that is wrong. */
  readonly words: (world: World, verdict: V) => readonly string[];
  /** Milliseconds until all stores must be there. */
  readonly syncTimeout: number;
  /** Milliseconds between attempts of a check that could not run, and how many there are. */
  readonly retry: { readonly delay: number; readonly attempts: number };
}

/** Renders in which objects may turn out to be bad that came while the configuration was in the gate. */
const maxRounds = 8;

/**
 * Renders a configuration from what is live, and has HAProxy check it, beside the one at work. Objects that were served must be
 * served: if one of them is refused, the configuration is. An object that HAProxy has not accepted yet is left out instead, as
 * it would be under the configuration at work.
 *
 * Ends with what it came to. A check that cannot run, and stores that do not come, say nothing about the configuration:
 * `passing`.
 */
export function tryWorld<World, V extends LatchVerdict>(
  world: World,
  deps: TryWorldDeps<World, V>,
): Observable<TrialEvent> {
  const { retry } = deps;

  const check = (bundle: Bundle): Observable<V> =>
    defer(() => deps.check(world, bundle.plan)).pipe(
      expand((verdict, attempt) =>
        verdict.kind === 'unchecked' && attempt + 1 < retry.attempts
          ? timer(retry.delay).pipe(switchMap(() => deps.check(world, bundle.plan)))
          : EMPTY,
      ),
      filter((verdict, attempt) => verdict.kind !== 'unchecked' || attempt + 1 >= retry.attempts),
      take(1),
    );

  const judged = (bundle: Bundle, before: QuarantineState, verdict: V, round: number) => {
    const known = onRender(before, bundle);
    const state = onVerdict(known, bundle, verdict, asyncScheduler.now());
    if (verdict.kind === 'accepted') return of<TrialEvent>({ kind: 'accepted', render: { bundle, state } });
    const errors = deps.words(world, verdict);
    if (verdict.kind === 'unchecked') return of(refusal('check', errors, true));
    const isNarrowed = state.quarantine !== known.quarantine;
    return isNarrowed && state.stuck === undefined && round < maxRounds
      ? rendered(state, round + 1)
      : of(refusal('check', errors, false));
  };

  const rendered = (state: QuarantineState, round: number): Observable<TrialEvent> =>
    deps.render(world, state).pipe(
      take(1),
      concatMap((outcome) =>
        outcome.kind === 'rejected'
          ? of(refusal('render', [outcome.message], outcome.passing === true))
          : concat(
              round === 0 ? of<TrialEvent>({ kind: 'rendered' }) : EMPTY,
              check(outcome.bundle).pipe(
                concatMap((verdict) => judged(outcome.bundle, state, verdict, round)),
              ),
            ),
      ),
    );

  const synced$ = deps.changes(world).pipe(
    take(1),
    map(() => true),
    timeout({ first: deps.syncTimeout, with: () => of(false) }),
  );

  return whileWatched(
    deps.changes(world),
    synced$.pipe(
      concatMap((isSynced) => {
        if (isSynced)
          return deps.begin(world).pipe(
            take(1),
            concatMap((state) => rendered(state, 0)),
          );
        const names = deps.waitingFor(world).join(', ');
        const words = `not synced within ${deps.syncTimeout / 1000} s: ${names}`;
        return of(refusal('render', [words], true));
      }),
    ),
  );
}

function refusal(stage: 'render' | 'check', errors: readonly string[], passing: boolean): TrialEvent {
  return { kind: 'refused', stage, errors, passing };
}

/** The stores follow Kubernetes for as long as the work goes on. */
function whileWatched<T>(watch$: Observable<unknown>, work$: Observable<T>): Observable<T> {
  return new Observable<T>((subscriber) => {
    const watching = watch$.subscribe({
      error: (error: unknown) => subscriber.error(error),
    });
    watching.add(work$.subscribe(subscriber));
    return watching;
  });
}
