import {
  EMPTY,
  type Observable,
  type OperatorFunction,
  Subject,
  asyncScheduler,
  concat,
  concatMap,
  defer,
  delay,
  filter,
  finalize,
  of,
  startWith,
  switchMap,
  take,
  takeUntil,
  tap,
} from 'rxjs';
import { switchMapFair } from '../operators/switch-map-fair.ts';
import type {
  AcceptedRender,
  Candidate,
  LoadReport,
  LoadStage,
  ResolvedConfig,
  StageResult,
} from './load-report.ts';

/** What a trial tells: each emits `rendered` once, when a first render is there, and then ends with what it came to. */
export type TrialEvent =
  | { readonly kind: 'rendered' }
  | { readonly kind: 'accepted'; readonly render: AcceptedRender }
  | {
      readonly kind: 'refused';
      readonly stage: 'render' | 'check';
      readonly errors: readonly string[];
      readonly passing: boolean;
    };

/** A world that is built, and what is wrong with the paths of its configuration. */
export interface OpenedWorld<World> {
  readonly world: World;
  readonly pathErrors: readonly string[];
}

export interface LoadGateDeps<World> {
  /** `id` of the configuration at work; undefined as long as there is none. */
  readonly active: () => string | undefined;
  /** Compiles the templates. Emits once and completes. */
  readonly open: (resolved: ResolvedConfig) => Observable<StageResult<OpenedWorld<World>>>;
  /** Runs the configuration's own tests. Emits once and completes. */
  readonly test: (resolved: ResolvedConfig) => Observable<StageResult<unknown>>;
  /** Renders the world from what is live, and has HAProxy check that, beside the one at work. */
  readonly trial: (world: World) => Observable<TrialEvent>;
  /** Lets go of a world that is not taken. */
  readonly close: (world: World) => void;
  /** Milliseconds for which newer candidates may supersede one before it is allowed to finish. */
  readonly maxStale: number;
  /** Milliseconds until a candidate is tried again that was refused for a passing reason. */
  readonly retry: number;
}

/**
 * The gate that a configuration passes before it is taken: basic → template → jsonpath → validationTests → render → check. Until
 * the report `accepted`, everything stays as it is; that report hands over the world, once. A candidate that is equal to the
 * configuration at work passes at once.
 *
 * The first configuration is handed over before its render: HAProxy's word on it is the pipeline's own business, which knows how
 * to tell a bad object from a bad template.
 *
 * `undefined` says that there is no candidate any more: what is in the gate ends at once, nothing waits to be tried again, and the one
 * at work stays.
 *
 * Loss policy: a newer candidate supersedes the one in the gate at whatever stage; its world is closed. Under constant change one is
 * allowed to finish after `maxStale`. Never errors unless a stage does.
 */
export function loadGate<World>(
  deps: LoadGateDeps<World>,
): OperatorFunction<Candidate | undefined, LoadReport<World>> {
  return (candidate$) =>
    defer(() => {
      const passing = new Subject<Candidate>();
      const gone = new Subject<void>();
      let wanted: Candidate | undefined;
      const again = (candidate: Candidate): Observable<Candidate> =>
        passing.pipe(
          filter((refused) => refused === candidate),
          delay(deps.retry),
          startWith(candidate),
        );
      return candidate$.pipe(
        tap((candidate) => {
          wanted = candidate;
          if (candidate === undefined) gone.next();
        }),
        // What waits to be tried again is a source, not work: a newer candidate takes its place.
        switchMap((candidate) => (candidate === undefined ? EMPTY : again(candidate))),
        switchMapFair(
          // One that waited behind another may be gone by its turn.
          (candidate) => (wanted === undefined ? EMPTY : attempt(deps, candidate).pipe(takeUntil(gone))),
          { maxStale: deps.maxStale },
        ),
        tap((report) => {
          if (report.kind === 'refused' && report.passing) passing.next(report.candidate);
        }),
      );
    });
}

function attempt<World>(deps: LoadGateDeps<World>, candidate: Candidate): Observable<LoadReport<World>> {
  const begun = asyncScheduler.now();
  const step = <T>(
    stage: LoadStage,
    work$: Observable<StageResult<T>>,
    next: (value: T) => Observable<LoadReport<World>>,
  ): Observable<LoadReport<World>> =>
    defer(() => {
      const started = asyncScheduler.now();
      return work$.pipe(
        take(1),
        concatMap((result) => {
          if (!result.ok) return of(refused<World>(candidate, stage, result.errors, result.passing === true));
          const tookMs = asyncScheduler.now() - started;
          return concat(
            of<LoadReport<World>>({ kind: 'passed', candidate, stage, tookMs }),
            next(result.value),
          );
        }),
      );
    });
  const accepted = (world: World, render?: AcceptedRender): LoadReport<World> => ({
    kind: 'accepted',
    candidate,
    world,
    ...(render && { render }),
    tookMs: asyncScheduler.now() - begun,
  });
  const judged = (world: World): Observable<LoadReport<World>> => {
    if (deps.active() === undefined) return of(accepted(world));
    let started = asyncScheduler.now();
    const passed = (stage: LoadStage): LoadReport<World> => {
      const tookMs = asyncScheduler.now() - started;
      started += tookMs;
      return { kind: 'passed', candidate, stage, tookMs };
    };
    return deps.trial(world).pipe(
      concatMap((event) => {
        if (event.kind === 'rendered') return of(passed('render'));
        if (event.kind === 'accepted') return of(passed('check'), accepted(world, event.render));
        return of(refused<World>(candidate, event.stage, event.errors, event.passing));
      }),
    );
  };
  const withWorld = (
    { world, pathErrors }: OpenedWorld<World>,
    resolved: ResolvedConfig,
  ): Observable<LoadReport<World>> => {
    let isHandedOver = false;
    const paths: StageResult<undefined> =
      pathErrors.length === 0 ? { ok: true, value: undefined } : { ok: false, errors: pathErrors };
    return step('jsonpath', of(paths), () =>
      step('validationTests', deps.test(resolved), () => judged(world)),
    ).pipe(
      tap((report) => (isHandedOver ||= report.kind === 'accepted')),
      finalize(() => {
        if (!isHandedOver) deps.close(world);
      }),
    );
  };

  return defer(() =>
    deps.active() === candidate.id
      ? of<LoadReport<World>>({ kind: 'unchanged', candidate })
      : step('basic', candidate.resolve$, (resolved) =>
          step('template', deps.open(resolved), (opened) => withWorld(opened, resolved)),
        ),
  );
}

function refused<World>(
  candidate: Candidate,
  stage: LoadStage,
  errors: readonly string[],
  passing: boolean,
): LoadReport<World> {
  return { kind: 'refused', candidate, stage, errors, passing };
}
