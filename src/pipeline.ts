import {
  type Observable,
  ReplaySubject,
  Subject,
  asapScheduler,
  combineLatest,
  delay,
  distinctUntilChanged,
  filter,
  map,
  observeOn,
  of,
  share,
  startWith,
  switchMap,
  tap,
} from 'rxjs';
import { type GateReport, gateStage } from './gate/gate-stage.ts';
import { type LatchState, type LatchVerdict, latch } from './gate/latch.ts';
import { type QuarantineState, emptyQuarantine } from './gate/quarantine-state.ts';
import { coalesce } from './operators/coalesce.ts';
import { perKeyLatest } from './operators/per-key-latest.ts';
import { switchMapFair } from './operators/switch-map-fair.ts';
import type { Taps } from './operators/taps.ts';
import type { Bundle } from './protocol/bundle.ts';
import type { KeptOutputs } from './protocol/kept-outputs.ts';
import type { Plan } from './protocol/plan.ts';
import type { HeldObjects } from './protocol/provenance.ts';
import type { DeliveryTarget } from './protocol/delivery-target.ts';
import type { Leadership } from './protocol/leadership.ts';
import { authorityOf, type HaproxyPod } from './protocol/pod.ts';
import type { RenderOutcome } from './protocol/render-outcome.ts';
import type { DeliveryReport } from './protocol/delivery-report.ts';
import { createRunningPlans } from './sinks/running-plans.ts';
import { tapShape } from './sinks/tap-shape.ts';

/** Every effect of the pipeline, as streams and stages. `World` is one configuration with its stores and renderer. */
export interface PipelineDeps<World, Verdict extends LatchVerdict> {
  readonly config$: Observable<World>;
  /** Tokens of all watched kinds: the first when every store is there, then one whenever something changed. */
  readonly changes: (world: World) => Observable<World>;
  /** One cooperative turn with these objects held; unsubscribing supersedes it and loses no work. */
  readonly render: (world: World, held: HeldObjects) => Observable<RenderOutcome>;
  readonly check: (plan: Plan) => Observable<Verdict>;
  /** See {@link GateStageOptions.recall}. */
  readonly recall?: () => Observable<KeptOutputs | undefined>;
  /** See {@link GateStageOptions.adopt}. */
  readonly adopt?: (generation: object) => QuarantineState | undefined;
  readonly fleet$: Observable<readonly HaproxyPod[]>;
  /**
   * Pods that end: they are brought to what the fleet is, and what becomes of that is told by the tap alone. Absent: none. Is to
   * change in one burst with `fleet$`, where a pod goes from the one to the other.
   */
  readonly leaving$?: Observable<readonly HaproxyPod[]>;
  /** Whether this process may write to pods: as it is at once, then every change. Everything but that goes on without it. */
  readonly leadership$: Observable<Leadership>;
  /** Brings a pod to what is wanted and keeps it there, until something newer is wanted of it or it is gone. */
  readonly deliver: (target: DeliveryTarget, newer$: Observable<void>) => Observable<DeliveryReport>;
  readonly taps: Taps;
  readonly timing: PipelineTiming;
}

export interface PipelineTiming {
  /** Milliseconds for which newer changes may supersede a render before it is allowed to finish. */
  readonly maxStaleRender: number;
  /** Milliseconds from a render to its check. */
  readonly checkDelay: number;
  /** Milliseconds between two checks by HAProxy, in a leader and in a standby, of which nobody waits for a verdict. */
  readonly checkInterval: { readonly leading: number; readonly standby: number };
  readonly checkRetry: { readonly min: number; readonly max: number };
}

export interface Pipeline<Verdict> {
  readonly render$: Observable<RenderOutcome>;
  readonly verdict$: Observable<Verdict>;
  /** Candidates that were checked to find out about held objects, and former renders that pods still run. */
  readonly trial$: Observable<GateReport<Verdict>>;
  /** Which objects are held back, and why. */
  readonly quarantine$: Observable<QuarantineState>;
  readonly latch$: Observable<LatchState>;
  readonly delivery$: Observable<DeliveryReport>;
}

/**
 * The system on one screen: Kubernetes changes → render → delivery to every pod, with HAProxy's own check beside it.
 *
 *     config$ → changes ─ coalesce ─ switchMapFair(render) ─ bundle$ ─┬─ exhaustMapLatest(check) ─ verdict$, quarantine$
 *                            └───────────────<── quarantine$          └─ latch ─ perKeyLatest(pod, deliver) ─ delivery$
 *                                                        fleet$, leadership$ ──────────┘
 *
 * Streams are shared and hot while one subscriber is left; none of them errors or completes. Each arrow is a tap.
 */
export function createPipeline<World, Verdict extends LatchVerdict>(
  deps: PipelineDeps<World, Verdict>,
): Pipeline<Verdict> {
  const { taps, timing } = deps;

  const leadership$ = deps.leadership$.pipe(
    taps.point('leadership', (leadership) => leadership),
    hot(),
  );
  const held = new Subject<HeldObjects>();
  const running = createRunningPlans();
  let leaving: ReadonlySet<string> = new Set();

  const render$ = combineLatest([
    // A source, not work: the former configuration's watches end when the next one's begin.
    deps.config$.pipe(switchMap(deps.changes)),
    held.pipe(startWith(emptyQuarantine), distinctUntilChanged(sameHeld)),
  ]).pipe(
    coalesce(),
    switchMapFair(([world, objects]) => deps.render(world, objects), { maxStale: timing.maxStaleRender }),
    taps.point('renders', tapShape.render),
    hot(),
  );

  const rendered$ = render$.pipe(
    filter((outcome) => outcome.kind === 'rendered'),
    map((outcome) => outcome.bundle),
  );

  const bundle$ = rendered$.pipe(
    distinctUntilChanged(samePlan),
    taps.point('bundles', tapShape.bundle),
    hot(),
  );

  const gate$ = rendered$.pipe(
    distinctUntilChanged(sameForGate),
    // Delivery is what somebody waits for: it has the thread first.
    delay(timing.checkDelay),
    gateStage({
      check: deps.check,
      interval: leadership$.pipe(map(({ kind }) => timing.checkInterval[kind])),
      retry: timing.checkRetry,
      running: running.ids,
      ...(deps.recall && { recall: deps.recall }),
      ...(deps.adopt && { adopt: deps.adopt }),
    }),
    // A verdict that is known already comes synchronously: the latch must see the bundle first.
    observeOn(asapScheduler),
    tap(({ state }) => held.next(state)),
    hot(),
  );

  const judged$ = gate$.pipe(filter(({ about }) => about === 'render'));

  const verdict$ = judged$.pipe(
    map(({ verdict }) => verdict),
    taps.point<Verdict>('verdicts', tapShape.verdict),
    hot(),
  );

  const trial$ = gate$.pipe(
    filter(({ about }) => about !== 'render'),
    taps.point<GateReport<Verdict>>('trials', tapShape.trial),
    hot(),
  );

  const quarantine$ = gate$.pipe(
    map(({ state }) => state),
    distinctUntilChanged(sameQuarantine),
    taps.point('quarantine', tapShape.quarantine),
    hot(),
  );

  const term$ = leadership$.pipe(filter(({ kind }) => kind === 'leading'));
  const latch$ = latch(bundle$, judged$, term$).pipe(taps.point('latch', tapShape.latch), hot());

  const delivery$ = combineLatest({
    latch: latch$,
    pods: deps.fleet$.pipe(taps.point('fleet', (pods) => pods)),
    leaving: deps.leaving$ ?? of([]),
    leadership: leadership$,
  }).pipe(
    coalesce(),
    tap((wanted) => {
      running.keep(wanted.pods);
      leaving = new Set(wanted.leaving.map(authorityOf));
    }),
    map(targetsOf),
    perKeyLatest({
      // Another pod under the same name or address is another key: what was under way to the former one ends.
      keyOf: ({ pod }) => authorityOf(pod),
      same: sameTarget,
      // Bounded per attempt, by the slots of `deliver`: a pod that is only waited for holds back no other.
      concurrent: Infinity,
      project: deps.deliver,
    }),
    taps.point('deliveries', (report) => report),
    filter(({ pod }) => !leaving.has(authorityOf(pod))),
    tap(running.note),
    hot(),
  );

  return { render$, verdict$, trial$, quarantine$, latch$, delivery$ };
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

const sameHeld = (a: HeldObjects, b: HeldObjects): boolean =>
  a.quarantine === b.quarantine && a.generation === b.generation;

const sameQuarantine = (a: QuarantineState, b: QuarantineState): boolean =>
  a.entries === b.entries && a.stuck === b.stuck;

/** The gate has something to do for a render of the same content when it came from other objects, or other ones are held. */
function sameForGate(a: Bundle, b: Bundle): boolean {
  return (
    samePlan(a, b) &&
    a.provenance?.generation === b.provenance?.generation &&
    a.provenance?.outputs === b.provenance?.outputs &&
    a.provenance?.quarantine === b.provenance?.quarantine &&
    a.provenance?.withheld === b.provenance?.withheld
  );
}

const samePlan = (a: Bundle, b: Bundle): boolean => a.plan.id === b.plan.id;

/** What is wanted of every pod: the render that is out, or that the pods take back what should not have got out; of a standby, nothing. */
function targetsOf({ latch, pods: members, leaving, leadership }: Wanted): readonly DeliveryTarget[] {
  const pods = [...members, ...leaving];
  if (leadership.kind === 'standby') return pods.map((pod) => ({ kind: 'leave', pod }));
  const { released, refusedPlanId } = latch;
  const { epoch } = leadership;
  if (released !== undefined) return pods.map((pod) => ({ kind: 'deliver', pod, epoch, bundle: released }));
  return refusedPlanId === undefined
    ? []
    : pods.map((pod) => ({ kind: 'revert', pod, epoch, planId: refusedPlanId }));
}

interface Wanted {
  readonly latch: LatchState;
  readonly pods: readonly HaproxyPod[];
  readonly leaving: readonly HaproxyPod[];
  readonly leadership: Leadership;
}

function sameTarget(a: DeliveryTarget, b: DeliveryTarget): boolean {
  if (a.kind === 'leave' || b.kind === 'leave') return a.kind === b.kind;
  if (a.epoch !== b.epoch) return false;
  if (a.kind === 'deliver') return b.kind === 'deliver' && samePlan(a.bundle, b.bundle);
  return b.kind === 'revert' && a.planId === b.planId;
}
