import {
  EMPTY,
  type Observable,
  type OperatorFunction,
  asyncScheduler,
  concat,
  concatMap,
  defer,
  expand,
  filter,
  ignoreElements,
  map,
  of,
  race,
  switchMap,
  take,
  takeUntil,
  tap,
  timer,
} from 'rxjs';
import { exhaustMapLatest } from '../operators/exhaust-map-latest.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { KeptOutputs } from '../protocol/kept-outputs.ts';
import type { Plan } from '../protocol/plan.ts';
import type { LatchVerdict } from './latch.ts';
import { nextTrial, onRecall, onRender, onTrial, onVerdict } from './quarantine.ts';
import { emptyQuarantine, type QuarantineState } from './quarantine-state.ts';

export interface GateStageOptions<V extends LatchVerdict> {
  /** One check of one plan: emits one verdict and completes, never errors. */
  readonly check: (plan: Plan) => Observable<V>;
  /**
   * Milliseconds from the start of a check to that of a newer render, unless that is of another configuration or holds other objects.
   * The present time at once and every other one as it comes, which then counts for a wait that has begun, too.
   */
  readonly interval: number | Observable<number>;
  /** Milliseconds between attempts when a check could not run: doubles from `min` to `max`. */
  readonly retry: { readonly min: number; readonly max: number };
  /** Ids of plans that some pod runs: a render that was overtaken before its check is checked later, if it is among them. */
  readonly running: () => ReadonlySet<string>;
  /**
   * What an earlier process had accepted, as far as anybody still knows: emits at most once and completes, never errors. Asked only
   * when a configuration's first render is refused, so that who is good does not wait for it. Default: nobody knows.
   */
  readonly recall?: () => Observable<KeptOutputs | undefined>;
  /** What is known of a configuration that was accepted before it came here, by its renders' `Provenance.generation`. */
  readonly adopt?: (generation: object) => QuarantineState | undefined;
}

/** One verdict of HAProxy, and what is held from then on. */
export interface GateReport<V> {
  /** `render`: what is to be released. `trial`: a candidate. `overtaken`: a former render that some pod still runs. */
  readonly about: 'render' | 'trial' | 'overtaken';
  readonly bundle: Bundle;
  readonly verdict: V;
  readonly state: QuarantineState;
}

/** Renders that were never checked and are remembered in case a pod runs them; more, if pods run them. */
const maxOvertaken = 4;

/**
 * The check of every render by HAProxy itself: one at a time, newest first. A check that could not run is repeated with
 * growing delays until it can, or until a newer render takes its place. After the verdict, and as long as no newer render
 * waits, candidates are checked that tell which objects are to blame, or whether a held one is good again; then renders that
 * were overtaken and that some pod runs.
 *
 * Loss policy: renders that a newer one overtakes while a check runs are checked only if some pod runs them.
 */
export function gateStage<V extends LatchVerdict>(
  options: GateStageOptions<V>,
): OperatorFunction<Bundle, GateReport<V>> {
  return (bundle$) =>
    defer(() => {
      const { check, retry, recall } = options;
      const interval$ = typeof options.interval === 'number' ? of(options.interval) : options.interval;
      const overtaken = createOvertaken(options.running);
      let state = emptyQuarantine;
      let newest: Bundle | undefined;
      /** Generations for which it was asked what is known of an earlier process. */
      const asked = new WeakSet<object>();
      /** Since the newest render came to the check. */
      let checks = 0;

      const report =
        (about: GateReport<V>['about'], bundle: Bundle) =>
        (verdict: V): GateReport<V> => ({ about, bundle, verdict, state });
      const now = () => asyncScheduler.now();
      const again = (attempt: number) => timer(Math.min(retry.max, retry.min * 2 ** attempt));
      const isOtherwise = (bundle: Bundle) =>
        newest?.provenance?.quarantine !== bundle.provenance?.quarantine ||
        newest?.provenance?.generation !== bundle.provenance?.generation;
      const adopted = ({ provenance }: Bundle): QuarantineState | undefined =>
        provenance === undefined || provenance.generation === state.generation
          ? undefined
          : options.adopt?.(provenance.generation);

      const judge = (bundle: Bundle, newer$: Observable<void>): Observable<GateReport<V>> =>
        check(bundle.plan).pipe(
          expand((verdict, attempt) =>
            verdict.kind === 'unchecked'
              ? again(attempt).pipe(
                  switchMap(() => check(bundle.plan)),
                  takeUntil(newer$),
                )
              : EMPTY,
          ),
          concatMap((verdict) => concat(remember(bundle, verdict), of(verdict))),
          tap((verdict) => (state = onVerdict(state, bundle, verdict, now()))),
          map(report('render', bundle)),
        );

      const remember = (bundle: Bundle, verdict: V): Observable<never> => {
        const generation = bundle.provenance?.generation;
        if (recall === undefined || generation === undefined || asked.has(generation)) return EMPTY;
        if (verdict.kind !== 'refused' || state.accepted !== undefined) return EMPTY;
        asked.add(generation);
        return recall().pipe(
          tap((kept) => (state = onRecall(state, bundle, kept))),
          ignoreElements(),
        );
      };

      /** Under constant change one trial follows each render's check; when nothing changes, all that there are. */
      const tryOut = (bundle: Bundle, newer$: Observable<void>, failures = 0): Observable<GateReport<V>> =>
        defer(() => {
          const trial = newest === undefined ? undefined : nextTrial(state, newest, now());
          if (trial === undefined) return EMPTY;
          const candidate = newest?.provenance?.candidate(trial.quarantine);
          if (candidate === undefined) return whileNewest(bundle, newer$, failures + 1);
          let couldRun = true;
          return concat(
            check(candidate.plan).pipe(
              tap((verdict) => {
                couldRun = verdict.kind !== 'unchecked';
                checks++;
                state = onTrial(state, trial, candidate, verdict, now());
              }),
              map(report('trial', candidate)),
            ),
            defer(() => whileNewest(bundle, newer$, couldRun ? 0 : failures + 1)),
          );
        });

      const whileNewest = (bundle: Bundle, newer$: Observable<void>, failures: number) => {
        if (newest !== bundle) return EMPTY;
        if (failures === 0) return tryOut(bundle, newer$);
        const isOver$ = newer$.pipe(map(() => false));
        return race(again(failures - 1).pipe(map(() => true)), isOver$).pipe(
          take(1),
          switchMap((isDue) => (isDue ? tryOut(bundle, newer$, failures) : EMPTY)),
        );
      };

      const catchUp = (bundle: Bundle): Observable<GateReport<V>> =>
        defer(() => {
          const former = newest === bundle ? overtaken.next() : undefined;
          if (former === undefined) return EMPTY;
          return concat(check(former.plan).pipe(map(report('overtaken', former))), catchUp(bundle));
        });

      /** Under constant change HAProxy is not started more often than this; other objects held, and another configuration, do not wait. */
      const pace = (bundle: Bundle, started: number, newer$: Observable<void>): Observable<never> =>
        defer(() => {
          if (isOtherwise(bundle)) return EMPTY;
          const over$ = interval$.pipe(
            map((interval) => started + interval * Math.min(checks, 2) - now()),
            switchMap((rest) => (rest <= 0 ? of(0) : timer(rest))),
          );
          const held$ = newer$.pipe(filter(() => isOtherwise(bundle)));
          return race(over$, held$).pipe(take(1), ignoreElements());
        });

      const work = (bundle: Bundle, newer$: Observable<void>): Observable<GateReport<V>> =>
        defer(() => {
          const started = now();
          checks = 1;
          overtaken.drop(bundle);
          state = onRender(adopted(bundle) ?? state, bundle);
          return concat(
            judge(bundle, newer$),
            tryOut(bundle, newer$),
            catchUp(bundle),
            pace(bundle, started, newer$),
          );
        });

      /** Of a time before somebody was held or let go: it would be refused once more for the same reason. */
      const isOutdated = ({ provenance }: Bundle) =>
        provenance !== undefined &&
        provenance.generation === state.generation &&
        provenance.quarantine !== state.quarantine;

      /** The render under the present quarantine is on its way; should it fail to come, the outdated one has to do. */
      const unlessReplaced = (bundle: Bundle, newer$: Observable<void>): Observable<GateReport<V>> =>
        concat(
          race(timer(retry.min), newer$).pipe(take(1), ignoreElements()),
          defer(() => (newest === bundle ? work(bundle, newer$) : EMPTY)),
        );

      return bundle$.pipe(
        tap((bundle) => {
          if (newest !== undefined) overtaken.add(newest);
          newest = bundle;
        }),
        exhaustMapLatest((bundle, newer$) =>
          isOutdated(bundle) ? unlessReplaced(bundle, newer$) : work(bundle, newer$),
        ),
      );
    });
}

function createOvertaken(running: () => ReadonlySet<string>) {
  let waiting: Bundle[] = [];
  const checked = new WeakSet<Bundle>();

  /** Newest first; a pass over them now and then is cheaper than one for each render. */
  const prune = (): void => {
    const runs = running();
    let others = 0;
    waiting = waiting.filter(({ plan }) => runs.has(plan.id) || ++others <= maxOvertaken);
  };

  const drop = (bundle: Bundle): void => {
    checked.add(bundle);
    waiting = waiting.filter(({ plan }) => plan.id !== bundle.plan.id);
  };

  return {
    add(bundle: Bundle): void {
      if (checked.has(bundle)) return;
      waiting.unshift(bundle);
      if (waiting.length >= 4 * maxOvertaken) prune();
    },
    drop,
    /** The newest that some pod runs. */
    next(): Bundle | undefined {
      prune();
      const runs = running();
      const bundle = waiting.find((one) => runs.has(one.plan.id));
      if (bundle !== undefined) drop(bundle);
      return bundle;
    },
  };
}
