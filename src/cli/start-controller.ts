import { setTimeout } from 'node:timers/promises';
import { Registry } from 'prom-client';
import {
  BehaviorSubject,
  ReplaySubject,
  Subject,
  distinctUntilChanged,
  map,
  merge,
  share,
  takeUntil,
} from 'rxjs';
import type { TemplateConfig } from '../api/template-config.ts';
import { type QuarantineState, emptyQuarantine } from '../gate/quarantine-state.ts';
import { openStream } from '../kube/open-stream.ts';
import { ownLease } from '../kube/own-lease.ts';
import { readJson } from '../kube/read-json.ts';
import { reviewAccess } from '../kube/review-access.ts';
import { runWithTurns } from '../lib/run-with-turns.ts';
import { createStallWatch } from '../operators/stall-watch.ts';
import { createSlots } from '../operators/create-slots.ts';
import { createTaps } from '../operators/taps.ts';
import { encodePlan } from '../plan/encode-plan.ts';
import type { Bundle } from '../protocol/bundle.ts';
import type { Plan } from '../protocol/plan.ts';
import type { RetainedConfig } from '../protocol/retained-config.ts';
import type { HeldObjects, Provenance } from '../protocol/provenance.ts';
import { awaitReads } from '../render/await-reads.ts';
import { immediate$ } from '../render/immediate.ts';
import { renderTurn } from '../render/render-stage.ts';
import { createEventHistory } from '../sinks/event-history.ts';
import { explainObject } from '../sinks/explain-object.ts';
import { findObjects } from '../sinks/find-objects.ts';
import { createMetrics } from '../sinks/metrics.ts';
import { createPlanBlobs } from '../sinks/plan-blobs.ts';
import { createPlanCache } from '../sinks/plan-cache.ts';
import { planWithoutPasswords } from '../sinks/publish/plan-without-passwords.ts';
import { createPodBook } from '../sinks/pod-book.ts';
import { ownRender, type OwnRender } from '../sinks/retained/own-render.ts';
import type { RecoveryState } from '../sinks/retained/recovery-state.ts';
import { listWatchPolicyFor } from '../streams/list-watch-policy.ts';
import { createWatchSources } from '../streams/watch-sources.ts';
import type { ControllerIdentity, ControllerRuntime } from '../world/controller-runtime.ts';
import type { PodSelection } from '../world/retained-access.ts';
import type { AcceptedRender } from '../world/load-report.ts';
import { hideSecrets } from '../world/hide-secrets.ts';
import { secretHider } from '../world/secret-hider.ts';
import { type LiveWorld, buildLiveWorld, openWorld } from '../world/open-world.ts';
import { createResourceHub } from '../world/resource-hub.ts';
import { worldSlices } from '../world/world-slices.ts';
import type { Controller, ControllerDeps, LiveConfig } from './controller/controller-deps.ts';
import { createControllerPipeline, durationOf } from './controller/controller-pipeline.ts';
import { controllerTiming as timing } from './controller/controller-timing.ts';
import { electLeader } from './controller/elect-leader.ts';
import { electionOf } from './controller/election-of.ts';
import { followConfig } from './controller/follow-config.ts';
import { followDeployments } from './controller/follow-deployments.ts';
import { followHttp } from './controller/follow-http.ts';
import { followPods } from './controller/follow-pods.ts';
import { healthOf } from './controller/health-of.ts';
import { recordController } from './controller/record-controller.ts';
import { recordRuntime } from './controller/record-runtime.ts';
import type { LoadGateDeps } from '../world/load-gate.ts';
import { createStartupStages } from '../world/startup-stages.ts';
import { sharePods } from '../world/share-pods.ts';
import { withTime } from '../world/with-time.ts';
import { createTryConfig } from '../world/try-config.ts';
import { tellStalls } from './controller/tell-stalls.ts';
import { tellWatch } from './controller/tell-watch.ts';
import { tryLiveWorld } from './controller/try-live-world.ts';
import { watchWorld } from './controller/watch-world.ts';

/**
 * Puts the real effects under the pipeline and starts it. Everything it holds ends with `stop`.
 *
 * @throws CodedError when a configuration that was given as a whole is wrong: nothing was started then
 */
export function startController(deps: ControllerDeps): Controller {
  const { log, onFatal, client, transport } = deps;
  const registry = new Registry();
  const metrics = createMetrics(registry);
  const taps = createTaps();
  const stalls = createStallWatch();
  const stop$ = new Subject<void>();
  const now = () => performance.now();
  const stages = createStartupStages(log, now);
  stages.mark('setup');
  const api = {
    open: openStream(transport),
    read: readJson(transport),
    random: Math.random,
    policy: listWatchPolicyFor(deps.watchTimeoutSeconds),
    stop$,
    notice: tellWatch(log, metrics),
  };
  const watch = { ...api, sources: createWatchSources(api) };
  const worlds = watchWorld({ watch, metrics, taps });
  const constants = { capabilities: deps.capabilities };
  const hub = createResourceHub({ watch: worlds.watch, keep: timing.storeKeep, now, constants });
  const http = followHttp({ check: (plan) => checkFor(plan, current), metrics, taps, log, onFatal });
  const shared = sharePods();
  const { shippedTemplates = new Map<string, string>() } = deps;
  const options = { constants, joinHttp: http.join, pods: shared.pods, shippedTemplates };

  const taken$ = new ReplaySubject<LiveWorld>(1);
  const election$ = new ReplaySubject<TemplateConfig['controller']['leaderElection']>(1);
  /** How each was accepted in the load gate, by the generation of its renders. */
  const accepted = new WeakMap<object, AcceptedRender>();
  let current: LiveWorld | undefined;
  let former: readonly LiveWorld[] = [];
  let activeId: string | undefined;
  let quarantine = emptyQuarantine;
  let lastAccepted: Provenance | undefined;
  let newest: Plan | undefined;
  /** What is out, or waits to be; with all that is said of it. */
  let shown: Bundle | undefined;
  let isOptimistic = false;

  const take = (world: LiveWorld, id?: string, render?: AcceptedRender): void => {
    if (render !== undefined) accepted.set(world.renderer.generation, render);
    if (current !== undefined) former = [...former, current];
    current = world;
    activeId = id;
    for (const { template, message } of world.renderer.warnings)
      log.warn(
        { template: world.sourceOfTemplate(template), reason: message },
        'a template is hardly what was meant',
      );
    stages.mark('config');
    taken$.next(world);
    election$.next(world.config.controller.leaderElection);
  };
  if (!isLiveConfig(deps.config)) take(openFixed(deps.config));

  function openFixed(config: TemplateConfig): LiveWorld {
    const resolved = { config, sourceOfTemplate: (name: string) => name };
    return buildLiveWorld(options, hub.hold(config), resolved);
  }
  const heldIn = (world: LiveWorld, held: HeldObjects): HeldObjects => {
    const { generation } = world.renderer;
    return held.generation === generation ? held : (accepted.get(generation)?.state ?? held);
  };
  const render = (world: LiveWorld, held: HeldObjects) => {
    stages.mark('resources');
    world.renderer.hold(heldIn(world, held));
    const { graph, renderer } = world;
    const turn$ = renderTurn({ graph, renderer, pause$: immediate$, now, sliceMs: timing.slice });
    const outcome$ = http.awaited(world, awaitReads(turn$, world.firstReads));
    return outcome$.pipe(stalls.over('render', timing.stalled.render));
  };

  const changes = (world: LiveWorld) =>
    shared.withPods(world, http.withContents(world, withTime(world, worlds.changes(world))));

  const plans = createPlanCache(timing.newestPlans);
  const book = createPodBook(plans);
  const blobs = createPlanBlobs((plan, signal) => encodePlan(plan, signal, lastAccepted));
  /** Why no configuration can be taken. */
  const trouble$ = new BehaviorSubject<string | undefined>(undefined);
  /** As a retained render has it, for as long as no configuration says so. */
  const selection = new ReplaySubject<PodSelection>(1);
  const pods = followPods({
    selection$: merge(
      selection.pipe(takeUntil(taken$)),
      taken$.pipe(map(({ config }) => selectionOf(config))),
    ),
    watch,
    client,
    plans,
    book,
    metrics,
    taps,
    log,
    ...(deps.namespace === undefined ? {} : { namespace: deps.namespace }),
  });
  const slots = createSlots(timing.deliverySlots);
  const identity = identityOf(deps);
  const leader = electLeader({
    ...(deps.election === undefined ? {} : { election: deps.election }),
    election$,
    transport,
    ownLease: ownLease(transport, { ...identity, configuration: identity.name }),
    watch: api,
    podEpoch: book.highestEpoch,
    metrics,
    log,
    now,
    onFatal,
  });
  const duration = (field: Parameters<typeof durationOf>[1]) => durationOf(current?.config, field);
  const checkFor = (plan: Plan, world: LiveWorld | undefined) =>
    deps
      .check(plan, world?.config ?? { validators: [] })
      .pipe(map((verdict) => hideSecrets(verdict, world?.secrets ?? (() => []))));
  const pipeline = createControllerPipeline({
    controller: deps,
    runtime: { taps, log },
    world$: taken$,
    changes,
    render,
    check: (plan) => checkFor(plan, current).pipe(stalls.over('check', timing.stalled.check)),
    adopt: (generation) => accepted.get(generation)?.state,
    pods,
    plans,
    book,
    blobs,
    duration,
    hide: (texts) => secretHider(current?.secrets ?? (() => []))(texts),
    slots,
    leader,
  });

  const deployment$ = followDeployments({
    pipeline,
    fleet$: pods.fleet$,
    leadership$: leader.leadership$,
    deploymentTimeout: () => duration('deploymentTimeout'),
    taps,
  });
  let own: OwnRender = { isThere: false };
  const own$ = ownRender({ ...pipeline, configuration$: trouble$ }).pipe(
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true }),
  );
  const history = createEventHistory(timing.rememberedEvents, Date.now);
  const vars: Record<string, () => unknown> = {
    uptime: () => ({ seconds: Math.round(process.uptime()) }),
    startup: stages.reached,
    config: () => current?.config,
    load: () => followed?.vars() ?? { wanted: 'from files' },
    leadership: leader.vars,
    resources: () => ({
      entries: Object.fromEntries([...(current?.stores ?? [])].map(([name, { size }]) => [name, size])),
      ...hub.counts(),
    }),
  };
  const bundle$ = new ReplaySubject<Bundle>(1);
  const gate: Pick<LoadGateDeps<LiveWorld>, 'open' | 'trial'> = {
    open: (resolved) => openWorld({ hub, ...options }, resolved, worldSlices),
    trial: tryLiveWorld({
      current: () => current,
      quarantine: () => quarantine,
      accepted: () => lastAccepted?.outputs,
      changes,
      waitingFor: worlds.missing,
      render,
      check: checkFor,
    }),
  };
  const runtime: ControllerRuntime = {
    endings: [],
    world$: taken$,
    current: () => current,
    bundle$: bundle$.pipe(distinctUntilChanged()),
    pipeline,
    fleet$: pods.fleet$,
    found$: pods.found$,
    deployment$,
    edit$: worlds.edit$,
    transport,
    leaderTransport: leader.transport,
    leadership$: leader.leadership$,
    retained: {
      client,
      epoch: leader.epoch,
      intent: leader.intent,
      check: (plan) => checkFor(plan, current),
      encode: (plan) => blobs.encode(plan),
      forget: (pod) => book.forget(pod),
      own$,
      selection,
      kept: new BehaviorSubject<readonly RetainedConfig[] | undefined>(undefined),
      recovery: new BehaviorSubject<RecoveryState>({ kind: 'off' }),
    },
    stop$,
    taps,
    registry,
    metrics,
    vars,
    history,
    identity,
    ...(isLiveConfig(deps.config) && {
      tryConfig: createTryConfig<LiveWorld>({
        ...gate,
        open: (resolved) => openWorld({ hub, ...options, joinHttp: http.look }, resolved, worldSlices),
        test: deps.config.test,
        close: (world) => world.dispose(),
        shipped: deps.config.shipped,
      }),
    }),
    log,
    stages,
    onFatal,
  };
  const running = recordController({
    world$: taken$,
    pipeline,
    pods,
    book,
    plans,
    blobs,
    client,
    isHeld: leader.epoch.isHeld,
    deployment$,
    capabilities: deps.capabilities,
    metrics,
    log,
    onFatal,
  });
  running.add(own$.subscribe({ next: (state) => (own = state), error: onFatal }));
  running.add(shared.follow(pods.fleet$, onFatal));
  running.add(
    pipeline.latch$.subscribe({
      next: (state) => {
        lastAccepted = state.accepted?.provenance;
        shown = state.released ?? state.newest;
        isOptimistic = state.mode === 'optimistic';
        if (state.released === undefined) return;
        newest = state.released.plan;
        // Of a standby, too: pods are on what the leader renders, and the next leader starts from that.
        plans.set(newest);
        bundle$.next(state.released);
      },
      error: onFatal,
    }),
  );
  running.add(
    pipeline.quarantine$.subscribe({
      next: (state: QuarantineState) => (quarantine = state),
      error: onFatal,
    }),
  );
  running.add(
    pipeline.render$.subscribe({
      next: (outcome) => {
        if (outcome.kind !== 'rendered') return;
        stages.mark('reconciliation');
        if (current === undefined || outcome.bundle.provenance?.generation !== current.renderer.generation)
          return;
        worlds.count(current);
        for (const world of former) world.dispose();
        former = [];
      },
      error: onFatal,
    }),
  );
  running.add(leader.start());
  running.add(
    leader.leadership$.subscribe({
      next: (leadership) => {
        if (leadership.kind === 'leading' || leadership.leader !== undefined) stages.mark('leader-election');
      },
      error: onFatal,
    }),
  );
  const followed = !isLiveConfig(deps.config)
    ? undefined
    : followConfig({
        live: deps.config,
        watch,
        gate: { ...gate, active: () => activeId },
        take: (report) => take(report.world, report.candidate.id, report.render),
        first: pipeline,
        waitingFor: worlds.missing,
        refused: (object) => {
          if (current === undefined) election$.next(electionOf(object));
        },
        trouble: (message) => trouble$.next(message),
        stages,
        runtime,
      });
  if (followed !== undefined) running.add(followed.running);
  running.add(http.start());
  running.add(tellStalls({ stalls, metrics, log, onFatal }));
  for (const start of deps.parts ?? []) running.add(start(runtime));

  return {
    registry,
    stages,
    health: healthOf({
      isRunning: () => !running.closed,
      stalled: () => stalls.stalled(),
      configuration: () => (current === undefined ? (followed?.missing() ?? 'not taken yet') : undefined),
      missing: () => (current === undefined ? [] : worlds.missing(current)),
      isReleased: () => newest !== undefined,
      renderError: () => own.error,
    }),
    debug: {
      taps,
      graph: () => current?.graph.toMermaid() ?? 'flowchart LR\n',
      plan: async () => newest && encodePlan(await runWithTurns(planWithoutPasswords(newest))),
      vars,
      events: history,
      heartbeat: timing.heartbeat,
      explainer: {
        find: (words, limit) => (shown === undefined ? [] : findObjects(shown, words, limit)),
        explain: (object) => (shown === undefined ? undefined : explainObject(shown, quarantine, object)),
      },
      record: () =>
        recordRuntime({
          runtime,
          world$: taken$,
          capabilities: deps.capabilities,
          isOptimistic: () => isOptimistic,
        }),
      ask: (question, signal) => reviewAccess(transport, question, signal),
      readers: {
        changed: (by) => metrics.tapReaders.inc(by),
        dropped: (count) => metrics.tapDropped.inc(count),
      },
    },
    stop: async () => {
      const ended = Promise.allSettled(runtime.endings.map((end) => end()));
      await leader.resign(() => slots.busy() === 0 && leader.transport.underway() === 0);
      const patience = new AbortController();
      await Promise.race([
        ended,
        setTimeout(timing.leadership.drain, undefined, { signal: patience.signal }).catch(() => {}),
      ]);
      patience.abort();
      running.unsubscribe();
      stop$.next();
      hub.dispose();
      for (const world of [...former, ...(current === undefined ? [] : [current])]) world.dispose();
      await http.close();
      await client.close();
    },
  };
}

function identityOf({ config, namespace = 'default' }: ControllerDeps): ControllerIdentity {
  if (!isLiveConfig(config)) return { namespace, name: 'haptic', isObject: false };
  return { namespace: config.namespace, name: config.name, isObject: true };
}

function selectionOf({ podSelector, dataplane }: TemplateConfig): PodSelection {
  return { matchLabels: podSelector.matchLabels, port: dataplane.port };
}

function isLiveConfig(config: ControllerDeps['config']): config is LiveConfig {
  return 'applyStatus' in config;
}
