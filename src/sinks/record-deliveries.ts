import { type Observable, Subscription } from 'rxjs';
import { applyResultModes } from '../protocol/apply-result-modes.ts';
import { authorityOf, type HaproxyPod } from '../protocol/pod.ts';
import type { DeliveryAcked, DeliveryReport } from '../protocol/delivery-report.ts';
import type { Metrics } from './metrics.ts';
import type { DeploymentProgress } from './track-deployments.ts';

export interface RecordedDeliveries {
  readonly delivery$: Observable<DeliveryReport>;
  readonly deployment$: Observable<DeploymentProgress>;
  readonly fleet$: Observable<readonly HaproxyPod[]>;
}

/**
 * Keeps the metrics of deliveries and of the fleet until unsubscribed. A pod that is gone leaves no series behind. A stream's
 * error is for `onError`: it is a bug.
 */
export function recordDeliveries(
  streams: RecordedDeliveries,
  metrics: Metrics,
  onError: (error: unknown) => void,
): Subscription {
  const recording = new Subscription();
  const on = <T>(stream$: Observable<T>, next: (value: T) => void): void =>
    recording.add(stream$.subscribe({ next, error: onError }));
  let present: ReadonlyMap<string, HaproxyPod> | undefined;
  let failures = 0;
  let current: DeploymentProgress | undefined;
  let isTimed = false;
  let wasComplete = false;

  // At nought from the start, as rejections are: Prometheus does not see that a series has grown with its first value.
  metrics.deploymentErrors.inc({ stage: 'overdue' }, 0);
  on(streams.fleet$, (pods) => {
    const keys = new Set(pods.map((pod) => pod.key));
    for (const { key } of present?.values() ?? []) if (!keys.has(key)) forgetPod(key);
    present = new Map(pods.map((pod) => [authorityOf(pod), pod]));
    for (const pod of keys) metrics.applyRejections.inc({ pod }, 0);
    metrics.fleetSize.set(pods.length);
  });
  on(streams.delivery$, (report) => {
    if (report.kind === 'reverted') metrics.reverts.inc();
    else if (report.kind === 'acked') countAck(report);
    else {
      metrics.deploymentErrors.inc({ stage: report.stage });
      metrics.consecutiveFailures.set(++failures);
      // A report may still come of a pod that has just left.
      if (report.stage === 'rejected' && isPresent(report.pod))
        metrics.applyRejections.inc({ pod: report.pod.key });
    }
    if (report.kind !== 'reverted' && report.skew !== undefined) metrics.versionSkews.inc();
  });
  on(streams.deployment$, (progress) => {
    metrics.fleetConverged.set(progress.converged);
    metrics.fleetPending.set(progress.pending.length);
    const isNew = progress.startedAt !== current?.startedAt || progress.planId !== current.planId;
    if (isNew && progress.pods > 0) metrics.deployments.inc();
    if (progress.overdue && (isNew || !current?.overdue)) metrics.deploymentErrors.inc({ stage: 'overdue' });
    const isComplete = progress.pods > 0 && progress.converged === progress.pods;
    // The time is that of the pods which were there; it says nothing when they came later, or fell behind and came back.
    if (isNew) isTimed = progress.pods > 0;
    if (isComplete && isTimed) {
      metrics.deploymentSeconds.observe(progress.tookMs / 1000);
      isTimed = false;
    }
    if (isComplete && (isNew || !wasComplete)) {
      metrics.lastFullSync.set((progress.startedAt + progress.tookMs) / 1000);
      failures = 0;
      metrics.consecutiveFailures.set(0);
    }
    wasComplete = isComplete;
    current = progress;
  });
  return recording;

  function countAck(report: DeliveryAcked): void {
    const { mode, observed, operations, reloaded, drifted, fallback } = report;
    if (reloaded) metrics.reloads.inc();
    if (drifted.length > 0) metrics.driftCorrections.inc();
    if (observed) return;
    if (isPresent(report.pod)) metrics.applies.inc({ pod: report.pod.key, mode });
    metrics.applySeconds.observe({ mode }, report.tookMs / 1000);
    metrics.runtimeOperations.inc(operations);
    if (fallback !== undefined) metrics.runtimeFallbacks.inc({ reason: fallback });
    for (const [kind, count] of Object.entries(report.operationKinds)) {
      if (kind.startsWith('server_'))
        metrics.serverOperations.inc({ op: kind.slice('server_'.length) }, count);
      if (kind.startsWith('backend_'))
        metrics.backendOperations.inc({ op: kind.slice('backend_'.length) }, count);
    }
  }

  function isPresent(pod: HaproxyPod): boolean {
    return present?.has(authorityOf(pod)) ?? false;
  }

  function forgetPod(pod: string): void {
    for (const mode of applyResultModes) metrics.applies.remove({ pod, mode });
    metrics.applyRejections.remove({ pod });
  }
}
