import type { Logger } from 'pino';
import { map, type Observable, Subscription } from 'rxjs';
import type { AgentClient } from '../../fleet/agent-client.ts';
import type { Verdict } from '../../gate/verdict.ts';
import type { Pipeline } from '../../pipeline.ts';
import { compareLines } from '../../sinks/compare-lines.ts';
import { keepPlans } from '../../sinks/keep-plans.ts';
import { logPipeline } from '../../sinks/log-pipeline.ts';
import type { Metrics } from '../../sinks/metrics.ts';
import type { PlanBlobs } from '../../sinks/plan-blobs.ts';
import type { PlanCache } from '../../sinks/plan-cache.ts';
import type { PodBook } from '../../sinks/pod-book.ts';
import { recordCertificates } from '../../sinks/record-certificates.ts';
import { recordDeliveries } from '../../sinks/record-deliveries.ts';
import { recordFleet } from '../../sinks/record-fleet.ts';
import { recordMetrics } from '../../sinks/record-metrics.ts';
import { recordQuarantine } from '../../sinks/record-quarantine.ts';
import type { DeploymentProgress } from '../../sinks/track-deployments.ts';
import { version } from '../../lib/version.ts';
import type { World } from '../../world/build-world.ts';
import { controllerTiming } from './controller-timing.ts';
import type { FollowedPods } from './follow-pods.ts';

export interface RecordControllerDeps {
  readonly pipeline: Pipeline<Verdict>;
  /** The configuration at work; late subscribers get it at once. */
  readonly world$: Observable<Pick<World, 'waits'>>;
  readonly pods: FollowedPods;
  readonly book: PodBook;
  readonly plans: PlanCache;
  readonly blobs: PlanBlobs;
  readonly client: AgentClient;
  /** Whether this process may write to pods. */
  readonly isHeld: () => boolean;
  readonly deployment$: Observable<DeploymentProgress>;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly onFatal: (error: unknown) => void;
}

/** Everything that only looks: metrics, log, plans kept on pods. Runs the pipeline while subscribed. */
export function recordController(deps: RecordControllerDeps): Subscription {
  const { pipeline, pods, deployment$, metrics, log, onFatal, plans, client } = deps;
  const { delivery$ } = pipeline;
  const { fleet$ } = pods;
  metrics.buildInfo.set({ version, node_version: process.version }, 1);
  const running = new Subscription();
  const known$ = pods.found$.pipe(map((found) => [...found.pods, ...(found.leaving ?? [])]));
  running.add(known$.subscribe({ next: (known) => deps.book.retain(known), error: onFatal }));
  running.add(recordFleet(pods.members$, metrics, log, onFatal));
  running.add(recordMetrics(pipeline, metrics, onFatal));
  running.add(recordCertificates(deps.world$.pipe(map(({ waits }) => waits.deadlines)), metrics, onFatal));
  running.add(recordDeliveries({ delivery$, deployment$, fleet$ }, metrics, onFatal));
  running.add(
    keepPlans({
      delivery$,
      fleet$,
      plans,
      blobs: deps.blobs,
      client,
      isHeld: deps.isHeld,
      delay: controllerTiming.planKeepDelay,
    }).subscribe({
      next: ({ pod, planId, outcome }) => log.debug({ pod: pod.key, planId, outcome }, 'plan upload'),
      error: onFatal,
    }),
  );
  running.add(logPipeline(pipeline, log, onFatal));
  running.add(recordQuarantine(pipeline, metrics, log, onFatal));
  const { version: gateVersion } = deps.capabilities;
  if (typeof gateVersion === 'string') running.add(compareLines(delivery$, gateVersion, log, onFatal));
  return running;
}
