import {
  type Observable,
  ReplaySubject,
  asapScheduler,
  combineLatest,
  delay,
  distinctUntilChanged,
  filter,
  map,
  observeOn,
  share,
  startWith,
  switchMap,
} from 'rxjs';
import { gateStage } from './gate/gate-stage.ts';
import { type LatchState, type LatchVerdict, latch } from './gate/latch.ts';
import { coalesce } from './operators/coalesce.ts';
import { debounceMax } from './operators/debounce-max.ts';
import { perKeyLatest } from './operators/per-key-latest.ts';
import { switchMapFair } from './operators/switch-map-fair.ts';
import type { Taps } from './operators/taps.ts';
import type { Bundle } from './protocol/bundle.ts';
import type { Plan } from './protocol/plan.ts';
import type { HaproxyPod } from './protocol/pod.ts';
import type { RenderOutcome } from './protocol/render-outcome.ts';
import type { DeliveryReport } from './protocol/delivery-report.ts';
import type { DeliveryTarget } from './sinks/deliver.ts';
import { tapShape } from './sinks/tap-shape.ts';

/** Every effect of the pipeline, as streams and stages. `World` is one configuration with its stores and renderer. */
export interface PipelineDeps<World, Verdict extends LatchVerdict> {
  readonly config$: Observable<World>;
  /** Tokens of all watched kinds: the first when every store is there, then one whenever something changed. */
  readonly changes: (world: World) => Observable<World>;
  /** One cooperative turn; unsubscribing supersedes it and loses no work. */
  readonly render: (world: World) => Observable<RenderOutcome>;
  readonly check: (plan: Plan) => Observable<Verdict>;
  readonly fleet$: Observable<readonly HaproxyPod[]>;
  readonly deliver: (target: DeliveryTarget, newer$: Observable<void>) => Observable<DeliveryReport>;
  /** Drift passes: each value has every pod asked what it holds. */
  readonly sweep$: Observable<number>;
  readonly taps: Taps;
  readonly timing: PipelineTiming;
}

export interface PipelineTiming {
  /** Milliseconds for which newer changes may supersede a render before it is allowed to finish. */
  readonly maxStaleRender: number;
  /** Milliseconds from a render to its check. */
  readonly checkDelay: number;
  /** Milliseconds between two checks by HAProxy. */
  readonly checkInterval: number;
  readonly checkRetry: { readonly min: number; readonly max: number };
  /** Pods that are written to at the same time. */
  readonly concurrentDeliveries: number;
}

export interface Pipeline<Verdict> {
  readonly render$: Observable<RenderOutcome>;
  readonly verdict$: Observable<Verdict>;
  readonly latch$: Observable<LatchState>;
  readonly delivery$: Observable<DeliveryReport>;
}

/**
 * The system on one screen: Kubernetes changes → render → delivery to every pod, with HAProxy's own check beside it.
 *
 *     config$ → changes ─ coalesce ─ switchMapFair(render) ─ bundle$ ─┬─ exhaustMapLatest(check) ─ verdict$
 *                                                                     └─ latch ─ perKeyLatest(pod, deliver) ─ delivery$
 *
 * Streams are shared and hot while one subscriber is left; none of them errors or completes. Each arrow is a tap.
 */
export function createPipeline<World, Verdict extends LatchVerdict>(
  deps: PipelineDeps<World, Verdict>,
): Pipeline<Verdict> {
  const { taps, timing } = deps;

  const render$ = deps.config$.pipe(
    // A source, not work: the former configuration's watches end when the next one's begin.
    switchMap(deps.changes),
    coalesce(),
    switchMapFair(deps.render, { maxStale: timing.maxStaleRender }),
    taps.point('renders', tapShape.render),
    hot(),
  );

  const bundle$ = render$.pipe(
    filter((outcome) => outcome.kind === 'rendered'),
    map((outcome) => outcome.bundle),
    distinctUntilChanged(samePlan),
    taps.point('bundles', tapShape.bundle),
    hot(),
  );

  const verdict$ = bundle$.pipe(
    debounceMax(timing.checkInterval),
    // Delivery is what somebody waits for: it has the thread first.
    delay(timing.checkDelay),
    gateStage({
      check: deps.check,
      isChecked: (verdict) => verdict.kind !== 'unchecked',
      retry: timing.checkRetry,
    }),
    // A verdict that is known already comes synchronously: the latch must see the bundle first.
    observeOn(asapScheduler),
    taps.point('verdicts', (verdict) => verdict),
    hot(),
  );

  const latch$ = latch(bundle$, verdict$).pipe(taps.point('latch', tapShape.latch), hot());

  const delivery$ = combineLatest({
    latch: latch$,
    pods: deps.fleet$.pipe(taps.point('fleet', (pods) => pods)),
    sweep: deps.sweep$.pipe(startWith(0)),
  }).pipe(
    coalesce(),
    map(({ latch: { released }, pods, sweep }) =>
      released === undefined ? [] : pods.map((pod) => ({ pod, bundle: released, sweep })),
    ),
    perKeyLatest({
      keyOf: (target) => target.pod.key,
      same: sameTarget,
      concurrent: timing.concurrentDeliveries,
      project: deps.deliver,
    }),
    taps.point('deliveries', (report) => report),
    hot(),
  );

  return { render$, verdict$, latch$, delivery$ };
}

/** Late subscribers get the newest value; the work ends with the last of them. */
function hot<T>() {
  return share<T>({
    connector: () => new ReplaySubject(1),
    resetOnRefCountZero: true,
    resetOnComplete: false,
    resetOnError: false,
  });
}

const samePlan = (a: Bundle, b: Bundle): boolean => a.plan.id === b.plan.id;

function sameTarget(a: DeliveryTarget, b: DeliveryTarget): boolean {
  return (
    samePlan(a.bundle, b.bundle) &&
    a.sweep === b.sweep &&
    a.pod.uid === b.pod.uid &&
    a.pod.containerId === b.pod.containerId
  );
}
