import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import {
  BehaviorSubject,
  NEVER,
  ReplaySubject,
  Subject,
  type Observable,
  Subscription,
  combineLatest,
  concat,
  filter,
  map,
  of,
  share,
  tap,
} from 'rxjs';
import type { TemplateConfig } from '../api/template-config.ts';
import type { AgentClient } from '../fleet/agent-client.ts';
import { singleWriter } from '../fleet/single-writer.ts';
import type { Verdict } from '../gate/verdict.ts';
import type { KubeTransport } from '../kube/kube-transport.ts';
import { openStream } from '../kube/open-stream.ts';
import { parseDuration } from '../lib/duration.ts';
import { createSlots } from '../operators/create-slots.ts';
import { createTaps } from '../operators/taps.ts';
import { createPipeline } from '../pipeline.ts';
import { decodeOutputs } from '../plan/decode-outputs.ts';
import { decodePlan } from '../plan/decode-plan.ts';
import { encodePlan } from '../plan/encode-plan.ts';
import type { Plan } from '../protocol/plan.ts';
import type { Provenance } from '../protocol/provenance.ts';
import { immediate$ } from '../render/immediate.ts';
import { renderTurn } from '../render/render-stage.ts';
import type { DebugDeps } from '../server/debug-routes.ts';
import type { Health } from '../server/health.ts';
import { compareLines } from '../sinks/compare-lines.ts';
import { createDelivery } from '../sinks/deliver.ts';
import { keepPlans } from '../sinks/keep-plans.ts';
import { logPipeline } from '../sinks/log-pipeline.ts';
import { createMetrics } from '../sinks/metrics.ts';
import { createPlanBlobs } from '../sinks/plan-blobs.ts';
import { createPlanCache } from '../sinks/plan-cache.ts';
import { createPodBook } from '../sinks/pod-book.ts';
import { createPodReader } from '../sinks/read-pod.ts';
import { recallOutputs } from '../sinks/recall-outputs.ts';
import { recordDeliveries } from '../sinks/record-deliveries.ts';
import { recordFleet } from '../sinks/record-fleet.ts';
import { recordMetrics } from '../sinks/record-metrics.ts';
import { recordQuarantine } from '../sinks/record-quarantine.ts';
import { trackDeployments } from '../sinks/track-deployments.ts';
import { answeringPods } from '../streams/answering-pods.ts';
import { listWatchPolicyFor } from '../streams/list-watch-policy.ts';
import { haproxyPods } from '../streams/haproxy-pods.ts';
import { watchResource } from '../streams/watch-resource.ts';
import type { WatchNotice } from '../streams/watch-notice.ts';
import { buildWorld, type World } from '../world/build-world.ts';
import { version } from './version.ts';

export interface ControllerDeps {
  readonly config: TemplateConfig;
  readonly transport: KubeTransport;
  readonly client: AgentClient;
  /** HAProxy's own check of a plan. */
  readonly check: (plan: Plan) => Observable<Verdict>;
  /** What templates may know of HAProxy. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Namespace of the HAProxy pods; all when absent. */
  readonly namespace?: string;
  /** How long one watch request may last. */
  readonly watchTimeoutSeconds: number;
  readonly log: Logger;
  /** A stream of the pipeline errored: a bug, after which nothing can be trusted. */
  readonly onFatal: (error: unknown) => void;
}

export interface Controller {
  readonly health: Health;
  readonly debug: DebugDeps;
  readonly registry: Registry;
  stop(): Promise<void>;
}

const timing = {
  maxStaleRender: 500,
  checkDelay: 25,
  checkInterval: 1_000,
  checkRetry: { min: 1_000, max: 30_000 },
};
/** Pods that are written to at the same time; of those that answered too late last time, half of that. */
const deliverySlots = { total: 16, suspects: 8 };
const deliveryRetry = { min: 100, max: 10_000 };
const probeRetry = { min: 100, max: 5_000 };
const driftSpread = 0.2;
const observeInterval = 1_000;
/** Plans that no pod is on and that are kept nevertheless. */
const newestPlans = 8;
const rememberedAcceptances = 256;
const planKeepDelay = 5_000;
const recallTiming = { total: 10_000, pod: 3_000 };
const heartbeat = 15_000;
/** Milliseconds of rendering before the event loop gets its turn. */
const sliceMs = 8;

/**
 * Puts the real effects under the pipeline and starts it. Everything it holds ends with `stop`.
 *
 * @throws CodedError when the templates or durations of the configuration are wrong: nothing was started then
 */
export function startController(deps: ControllerDeps): Controller {
  const { config, log } = deps;
  const world = buildWorld({ config, constants: { capabilities: deps.capabilities } });
  const registry = new Registry();
  const metrics = createMetrics(registry);
  const taps = createTaps();
  const stop$ = new Subject<void>();
  const watchDeps = {
    open: openStream(deps.transport),
    random: Math.random,
    policy: listWatchPolicyFor(deps.watchTimeoutSeconds),
    stop$,
    notice: (notice: WatchNotice) => {
      logNotice(log, notice);
      const type = notice.resource;
      if (notice.kind === 'degraded') metrics.watchDegraded.set({ type }, 1);
      else if (notice.kind === 'recovered' || notice.kind === 'init-done')
        metrics.watchDegraded.set({ type }, 0);
    },
  };
  const missing = new BehaviorSubject<ReadonlySet<string>>(new Set(Object.keys(config.watchedResources)));
  const plans = createPlanCache(newestPlans);
  const book = createPodBook(plans);
  let accepted: Provenance | undefined;
  const blobs = createPlanBlobs((plan, signal) => encodePlan(plan, signal, accepted));
  const acceptedIds = new LRUCache<string, true>({ max: rememberedAcceptances });
  const duration = (field: 'syncTimeout' | 'deploymentTimeout' | 'driftPreventionInterval') =>
    parseDuration(config.dataplane[field], `dataplane.${field}`);
  const deploymentTimeout = duration('deploymentTimeout');

  const found$ = haproxyPods(watchDeps, {
    labels: config.podSelector.matchLabels,
    port: config.dataplane.port,
    ...(deps.namespace === undefined ? {} : { namespace: deps.namespace }),
  });
  const readPod = createPodReader({
    client: deps.client,
    plans,
    book,
    decodePlan: async (blob) => {
      const decoded = await decodePlan(blob);
      if (decoded.kind === 'decoded') return decoded.plan;
      log.warn({ reason: decoded.reason }, 'the plan that a pod keeps is of no use');
      return undefined;
    },
    onDivergence: ({ key: pod }, { maps, servers }) => {
      for (const name of maps) metrics.mapDivergences.inc({ map: name });
      log.error({ pod, maps, servers }, 'the worker was not what its files say, and was reloaded');
    },
  });
  const members$ = answeringPods(found$, {
    // What the pod says is where its first delivery starts from.
    probe: (pod) => readPod(pod, { verify: true }),
    retry: probeRetry,
  }).pipe(
    taps.point('pods', (fleet) => fleet),
    share({ connector: () => new ReplaySubject(1), resetOnRefCountZero: true }),
  );
  const fleet$ = members$.pipe(map(({ pods }) => pods));
  const recall = recallOutputs({
    found$,
    members$,
    client: deps.client,
    tokenOf: (pod) => book.get(pod)?.state.applied_token,
    decodeOutputs,
    timing: recallTiming,
  });
  const pipeline = createPipeline({
    // One built-in configuration; never completes, since a later one replaces it.
    config$: concat(of(world), NEVER).pipe(taps.point('config', ({ config }) => config)),
    changes: watchWorld,
    render: ({ graph, renderer }, held) => {
      renderer.hold(held);
      return renderTurn({ graph, renderer, pause$: immediate$, now: () => performance.now(), sliceMs });
    },
    check: (plan) =>
      deps.check(plan).pipe(
        tap((verdict) => {
          if (verdict.kind === 'accepted') acceptedIds.set(verdict.planId, true);
        }),
      ),
    recall: () =>
      recall().pipe(
        tap((kept) =>
          log.info(
            { outputs: kept?.outputs.size ?? 0 },
            'pods were asked for what HAProxy had accepted before this process',
          ),
        ),
      ),
    fleet$,
    deliver: createDelivery({
      client: deps.client,
      epoch: singleWriter(),
      plans,
      book,
      readPod,
      isAccepted: (planId) => acceptedIds.has(planId),
      blobOf: (plan) => blobs.peek(plan),
      slots: createSlots(deliverySlots),
      random: Math.random,
      timing: {
        retry: deliveryRetry,
        syncTimeout: duration('syncTimeout'),
        deploymentTimeout,
        driftInterval: duration('driftPreventionInterval'),
        driftSpread,
        observeInterval,
      },
    }),
    taps,
    timing,
  });

  const deployment$ = trackDeployments({
    released$: pipeline.latch$.pipe(
      map(({ released }) => released),
      filter((bundle) => bundle !== undefined),
    ),
    fleet$,
    delivery$: pipeline.delivery$,
    overdueAfter: deploymentTimeout,
  }).pipe(
    taps.point('deployments', (progress) => progress),
    share({ resetOnRefCountZero: true }),
  );

  metrics.buildInfo.set({ version, node_version: process.version }, 1);
  let released = false;
  const running = new Subscription();
  running.add(found$.subscribe({ next: ({ pods }) => book.retain(pods), error: deps.onFatal }));
  running.add(recordFleet(members$, metrics, log, deps.onFatal));
  running.add(recordMetrics(pipeline, metrics, deps.onFatal));
  running.add(
    recordDeliveries({ delivery$: pipeline.delivery$, deployment$, fleet$ }, metrics, deps.onFatal),
  );
  running.add(
    keepPlans({
      delivery$: pipeline.delivery$,
      fleet$,
      plans,
      blobs,
      client: deps.client,
      delay: planKeepDelay,
    }).subscribe({
      next: ({ pod, planId, outcome }) => log.debug({ pod: pod.key, planId, outcome }, 'plan upload'),
      error: deps.onFatal,
    }),
  );
  running.add(logPipeline(pipeline, log, deps.onFatal));
  running.add(recordQuarantine(pipeline, metrics, log, deps.onFatal));
  const { version: gateVersion } = deps.capabilities;
  if (typeof gateVersion === 'string')
    running.add(compareLines(pipeline.delivery$, gateVersion, log, deps.onFatal));
  running.add(
    pipeline.latch$.subscribe({
      next: (state) => {
        released ||= state.released !== undefined;
        accepted = state.accepted?.provenance;
      },
      error: deps.onFatal,
    }),
  );

  return {
    registry,
    health: {
      live: [{ name: 'pipeline', failure: () => (running.closed ? 'not running' : undefined) }],
      ready: [
        {
          name: 'stores',
          failure: () =>
            missing.value.size === 0 ? undefined : `waiting for ${[...missing.value].join(', ')}`,
        },
        { name: 'render', failure: () => (released ? undefined : 'no render was accepted yet') },
      ],
    },
    debug: { taps, graph: () => world.graph.toMermaid(), heartbeat },
    stop: async () => {
      running.unsubscribe();
      stop$.next();
      world.renderer.dispose();
      await deps.client.close();
    },
  };

  function watchWorld(watched: World): Observable<World> {
    const tokens = Object.entries(watched.config.watchedResources).map(([name, resource]) => {
      const store = watched.stores.get(name);
      if (store === undefined) throw new Error(`no store for ${name}`);
      return watchResource({ ...watchDeps, store: () => store }, name, resource).pipe(
        taps.point(`resources.${name}`, (token) => token),
        map((token) => {
          metrics.resources.set({ type: name }, store.size);
          // A kind that must be there holds readiness up, not the pipeline: the others are served.
          const isMissing = token.kind === 'absent' && resource.optional !== true;
          if (!isMissing && missing.value.has(name))
            missing.next(new Set([...missing.value].filter((other) => other !== name)));
          return token;
        }),
      );
    });
    return combineLatest(tokens).pipe(map(() => watched));
  }
}

function logNotice(log: Logger, { kind, resource, ...fields }: WatchNotice): void {
  switch (kind) {
    case 'degraded':
    case 'malformed':
    case 'empty-unconfirmed':
      log.warn({ resource, ...fields }, `watch ${kind}`);
      break;
    case 'retrying':
    case 'absent':
    case 'recovered':
    case 'init-done':
      log.info({ resource, ...fields }, `watch ${kind}`);
      break;
  }
}
