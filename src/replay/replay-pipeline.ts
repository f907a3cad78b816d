import {
  NEVER,
  type Observable,
  Subject,
  type Subscription,
  concatMap,
  defer,
  filter,
  first,
  map,
  merge,
  of,
  startWith,
  take,
  takeUntil,
  tap,
} from 'rxjs';
import { createGraph } from '../collections/create-graph.ts';
import { coalesce } from '../operators/coalesce.ts';
import { debounceMax } from '../operators/debounce-max.ts';
import { type Taps, createTaps } from '../operators/taps.ts';
import { type Pipeline, type PipelineTiming, createPipeline } from '../pipeline.ts';
import type { DeliveryReport } from '../protocol/delivery-report.ts';
import type { DeliveryTarget } from '../protocol/delivery-target.ts';
import type { HttpContent } from '../protocol/http-content.ts';
import type { Plan } from '../protocol/plan.ts';
import type { HeldObjects } from '../protocol/provenance.ts';
import type { RenderOutcome } from '../protocol/render-outcome.ts';
import { renderTurn } from '../render/render-stage.ts';
import type { RecordedVerdict, StoreEdit } from '../sinks/recording.ts';
import { httpWantKey } from '../streams/http-want-key.ts';
import { watchSpecOf } from '../streams/watch-spec.ts';
import { type World, buildWorld } from '../world/build-world.ts';
import { type SharedPods, sharePods } from '../world/share-pods.ts';
import type { ReplayInputs } from './replay-inputs.ts';

export interface ReplayOptions {
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly timing: PipelineTiming;
}

export interface Replay {
  readonly pipeline: Pipeline<RecordedVerdict>;
  /** What is wanted of each pod: what the pipeline does to the outside. */
  readonly target$: Observable<DeliveryTarget>;
  readonly taps: Taps;
  /** Feeds the pipeline; to be subscribed to first, and ended last. */
  readonly start: () => Subscription;
}

/**
 * The pipeline of a running controller on inputs that are given: its own templates, collections, gate and latch, its own timers on whatever
 * clock RxJS has. What the outside world answered comes from the inputs: a check gets the verdict on its plan or, where there was none yet, the
 * next one that comes; a delivery gets its reports, and those on plans that are not rendered here, as the program or a template is another now.
 */
export function replayPipeline(inputs: ReplayInputs, options: ReplayOptions): Replay {
  const taps = createTaps();
  const target$ = new Subject<DeliveryTarget>();
  const world$ = new Subject<ReplayWorld>();
  const rendered = new Set<string>();
  /** The newest verdict on each plan: it may come before its check begins, since a render takes no time here. */
  const verdicts = new Map<string, RecordedVerdict>();
  const verdict$ = inputs.verdicts.pipe(
    filter((value) => value.kind === 'verdict'),
    map(({ verdict }) => verdict),
  );
  /** What the first check is about was out already, so it was accepted before. */
  let isOptimistic = false;
  const shared = sharePods();
  const fleet$ = inputs.fleet.pipe(map((value) => value.pods));
  let current: ReplayWorld | undefined;

  const check = (plan: Plan): Observable<RecordedVerdict> =>
    defer(() => {
      const known = verdicts.get(plan.id);
      if (known !== undefined) return of(known);
      if (isOptimistic) {
        isOptimistic = false;
        return of<RecordedVerdict>({ kind: 'accepted', planId: plan.id });
      }
      return verdict$.pipe(
        // Renders take no time here: what is checked may have been overtaken there before its check.
        take(1),
        map((verdict) => ({ ...verdict, planId: plan.id })),
      );
    });

  const deliver = (target: DeliveryTarget, newer$: Observable<void>): Observable<DeliveryReport> =>
    defer(() => {
      target$.next(target);
      if (target.kind === 'leave') return NEVER.pipe(takeUntil(newer$));
      const planId = target.kind === 'deliver' ? target.bundle.plan.id : target.planId;
      return inputs.deliveries.pipe(
        map(({ report }) => report),
        filter(({ pod, planId: of }) => pod.key === target.pod.key && (of === planId || !rendered.has(of))),
        map((report): DeliveryReport => ({ ...report, pod: target.pod, planId })),
        takeUntil(newer$),
      );
    });

  const pipeline = createPipeline<ReplayWorld, RecordedVerdict>({
    config$: world$,
    changes: (world) => shared.withPods(world, world.changed$),
    render: ({ world }, held) => renderWhole(world, held).pipe(tap(noteRender)),
    check,
    fleet$,
    leadership$: inputs.leadership.pipe(map(({ leadership }) => leadership)),
    deliver,
    taps,
    timing: options.timing,
  });

  function noteRender(outcome: RenderOutcome): void {
    if (outcome.kind === 'rendered') rendered.add(outcome.bundle.plan.id);
  }

  const feed$ = merge(
    // Runs all of it, whatever is looked at.
    pipeline.delivery$,
    inputs.config.pipe(
      tap(({ config }) => {
        current?.world.dispose();
        current = openWorld(config, options.capabilities, shared.pods);
        world$.next(current);
      }),
    ),
    inputs.edits.pipe(
      tap((value) => {
        if (value.kind === 'synced') current?.synced();
        else current?.edit(value.edit);
      }),
    ),
    inputs.http.pipe(tap(({ key, content }) => current?.http(key, content))),
    inputs.verdicts.pipe(tap(({ kind }) => (isOptimistic ||= kind === 'optimistic'))),
    verdict$.pipe(tap((verdict) => verdicts.set(verdict.planId, verdict))),
  );

  return {
    pipeline,
    target$,
    taps,
    start: () => {
      const fail = (error: unknown): void => target$.error(error);
      const feeding = feed$.subscribe({ error: fail });
      feeding.add(shared.follow(fleet$, fail));
      feeding.add(() => current?.world.dispose());
      return feeding;
    },
  };
}

/** A configuration with stores of its own. */
interface ReplayWorld {
  readonly world: World;
  readonly changed$: Observable<unknown>;
  readonly edit: (edit: StoreEdit) => void;
  readonly synced: () => void;
  readonly http: (key: string, content: HttpContent | undefined) => void;
}

function openWorld(
  config: World['config'],
  constants: Readonly<Record<string, unknown>>,
  pods: SharedPods['pods'],
): ReplayWorld {
  const graph = createGraph();
  const contents = graph.source<HttpContent>('http');
  const world = buildWorld({
    config,
    constants: { capabilities: constants },
    http: {
      graph,
      reads: {
        contents,
        want: httpWantKey,
        absent: {
          kind: 'failed',
          reason: 'NotRecorded',
          message: 'the recording has no content of this URL',
        },
      },
    },
    pods,
  });
  const isSynced = new Subject<void>();
  const edited = new Subject<string>();
  const change$ = merge(
    ...Object.entries(config.watchedResources).map(([name, resource]) =>
      edited.pipe(
        filter((of) => of === name),
        coalesce(),
        debounceMax(watchSpecOf(name, resource, config).debounceMs),
      ),
    ),
    edited.pipe(
      filter((of) => of === ''),
      coalesce(),
    ),
  );
  return {
    world,
    // Edits before are those of a list: the first render is made of all of it.
    changed$: isSynced.pipe(
      first(),
      concatMap(() => change$.pipe(startWith(undefined))),
    ),
    edit: (edit) => {
      const store = world.stores.get(edit.resource);
      if (store === undefined) return;
      if (edit.op === 'set') store.set(edit.key, edit.object);
      else if (edit.op === 'delete') store.delete(edit.key);
      else store.replace(edit.objects);
      edited.next(edit.resource);
    },
    synced: () => isSynced.next(),
    http: (key, content) => {
      if (content === undefined) contents.delete(key);
      else contents.set(key, content);
      edited.next('');
    },
  };
}

/** Takes no time: a turn is never paused. */
function renderWhole(world: World, held: HeldObjects): Observable<RenderOutcome> {
  const { graph, renderer } = world;
  return defer(() => {
    renderer.hold(held);
    return renderTurn({ graph, renderer, pause$: NEVER, now: () => 0, sliceMs: Infinity });
  });
}
