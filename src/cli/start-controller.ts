import { LRUCache } from 'lru-cache';
import { Registry } from 'prom-client';
import { NEVER, ReplaySubject, Subject, concat, distinctUntilChanged, of, tap } from 'rxjs';
import { singleWriter } from '../fleet/single-writer.ts';
import { openStream } from '../kube/open-stream.ts';
import { parseDuration } from '../lib/duration.ts';
import { createSlots } from '../operators/create-slots.ts';
import { createTaps } from '../operators/taps.ts';
import { createPipeline } from '../pipeline.ts';
import { encodePlan } from '../plan/encode-plan.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { Plan } from '../protocol/plan.ts';
import type { Provenance } from '../protocol/provenance.ts';
import { immediate$ } from '../render/immediate.ts';
import { renderTurn } from '../render/render-stage.ts';
import { createDelivery } from '../sinks/deliver.ts';
import { createMetrics } from '../sinks/metrics.ts';
import { createPlanBlobs } from '../sinks/plan-blobs.ts';
import { createPlanCache } from '../sinks/plan-cache.ts';
import { createPodBook } from '../sinks/pod-book.ts';
import { listWatchPolicyFor } from '../streams/list-watch-policy.ts';
import { buildWorld, type World } from '../world/build-world.ts';
import type { ControllerRuntime } from '../world/controller-runtime.ts';
import type { Controller, ControllerDeps } from './controller/controller-deps.ts';
import { controllerTiming as timing } from './controller/controller-timing.ts';
import { followPods } from './controller/follow-pods.ts';
import { recordController } from './controller/record-controller.ts';
import { tellWatch } from './controller/tell-watch.ts';
import { watchWorld } from './controller/watch-world.ts';

/**
 * Puts the real effects under the pipeline and starts it. Everything it holds ends with `stop`.
 *
 * @throws CodedError when the templates or durations of the configuration are wrong: nothing was started then
 */
export function startController(deps: ControllerDeps): Controller {
  const { config, log, onFatal, client, transport } = deps;
  const world = buildWorld({ config, constants: { capabilities: deps.capabilities } });
  const registry = new Registry();
  const metrics = createMetrics(registry);
  const taps = createTaps();
  const stop$ = new Subject<void>();
  const watch = {
    open: openStream(transport),
    random: Math.random,
    policy: listWatchPolicyFor(deps.watchTimeoutSeconds),
    stop$,
    notice: tellWatch(log, metrics),
  };
  const plans = createPlanCache(timing.newestPlans);
  const book = createPodBook(plans);
  let accepted: Provenance | undefined;
  const blobs = createPlanBlobs((plan, signal) => encodePlan(plan, signal, accepted));
  const acceptedIds = new LRUCache<string, true>({ max: timing.rememberedAcceptances });
  const duration = (field: 'syncTimeout' | 'deploymentTimeout' | 'driftPreventionInterval') =>
    parseDuration(config.dataplane[field], `dataplane.${field}`);
  const deploymentTimeout = duration('deploymentTimeout');

  const worlds = watchWorld({ watch, metrics, taps }, Object.keys(config.watchedResources));
  const pods = followPods({
    config,
    watch,
    client,
    plans,
    book,
    metrics,
    taps,
    log,
    ...(deps.namespace === undefined ? {} : { namespace: deps.namespace }),
  });
  const world$ = new ReplaySubject<World>(1);
  const bundle$ = new ReplaySubject<Bundle>(1);
  let current: World | undefined;
  const pipeline = createPipeline({
    // One built-in configuration; never completes, since a later one replaces it.
    config$: concat(of(world), NEVER).pipe(
      taps.point('config', ({ config }) => config),
      tap((next) => world$.next((current = next))),
    ),
    changes: worlds.changes,
    render: ({ graph, renderer }, held) => {
      renderer.hold(held);
      return renderTurn({
        graph,
        renderer,
        pause$: immediate$,
        now: () => performance.now(),
        sliceMs: timing.slice,
      });
    },
    check: (plan) =>
      deps.check(plan).pipe(
        tap((verdict) => {
          if (verdict.kind === 'accepted') acceptedIds.set(verdict.planId, true);
        }),
      ),
    recall: () =>
      pods
        .recall()
        .pipe(
          tap((kept) =>
            log.info(
              { outputs: kept?.outputs.size ?? 0 },
              'pods were asked for what HAProxy had accepted before this process',
            ),
          ),
        ),
    fleet$: pods.fleet$,
    deliver: createDelivery({
      client,
      epoch: singleWriter(),
      plans,
      book,
      readPod: pods.readPod,
      isAccepted: (planId) => acceptedIds.has(planId),
      blobOf: (plan) => blobs.peek(plan),
      slots: createSlots(timing.deliverySlots),
      random: Math.random,
      timing: {
        retry: timing.deliveryRetry,
        syncTimeout: duration('syncTimeout'),
        deploymentTimeout,
        driftInterval: duration('driftPreventionInterval'),
        driftSpread: timing.driftSpread,
        observeInterval: timing.observeInterval,
      },
    }),
    taps,
    timing: timing.pipeline,
  });

  let released = false;
  let newest: Plan | undefined;
  const running = recordController({
    pipeline,
    pods,
    book,
    plans,
    blobs,
    client,
    deploymentTimeout,
    capabilities: deps.capabilities,
    metrics,
    taps,
    log,
    onFatal,
  });
  running.add(
    pipeline.latch$.subscribe({
      next: (state) => {
        released ||= state.released !== undefined;
        accepted = state.accepted?.provenance;
        newest = state.released?.plan;
        if (state.released !== undefined) bundle$.next(state.released);
      },
      error: onFatal,
    }),
  );
  const runtime: ControllerRuntime = {
    world$,
    current: () => current,
    bundle$: bundle$.pipe(distinctUntilChanged()),
    pipeline,
    transport,
    stop$,
    taps,
    registry,
    log,
    onFatal,
  };
  for (const start of deps.parts ?? []) running.add(start(runtime));

  return {
    registry,
    health: {
      live: [{ name: 'pipeline', failure: () => (running.closed ? 'not running' : undefined) }],
      ready: [
        {
          name: 'stores',
          failure: () => {
            const missing = worlds.missing();
            return missing.length === 0 ? undefined : `waiting for ${missing.join(', ')}`;
          },
        },
        { name: 'render', failure: () => (released ? undefined : 'no render was accepted yet') },
      ],
    },
    debug: {
      taps,
      graph: () => world.graph.toMermaid(),
      plan: () => (newest === undefined ? Promise.resolve(undefined) : encodePlan(newest)),
      heartbeat: timing.heartbeat,
    },
    stop: async () => {
      running.unsubscribe();
      stop$.next();
      world.dispose();
      await client.close();
    },
  };
}
