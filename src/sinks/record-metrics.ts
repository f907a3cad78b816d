import { type Observable, Subscription, combineLatest } from 'rxjs';
import type { LatchState, LatchVerdict } from '../gate/latch.ts';
import type { HaproxyPod } from '../protocol/pod.ts';
import type { RenderOutcome } from '../protocol/render-outcome.ts';
import type { DeliveryReport } from '../protocol/delivery-report.ts';
import type { Metrics } from './metrics.ts';

export interface RecordedStreams {
  readonly render$: Observable<RenderOutcome>;
  readonly verdict$: Observable<LatchVerdict>;
  readonly latch$: Observable<LatchState>;
  readonly delivery$: Observable<DeliveryReport>;
  readonly fleet$: Observable<readonly HaproxyPod[]>;
}

/** Keeps the metrics in step with the pipeline until unsubscribed. A stream's error is for `onError`: it is a bug. */
export function recordMetrics(
  streams: RecordedStreams,
  metrics: Metrics,
  onError: (error: unknown) => void,
): Subscription {
  const recording = new Subscription();
  const on = <T>(stream$: Observable<T>, next: (value: T) => void): void =>
    recording.add(stream$.subscribe({ next, error: onError }));
  const converged = new Map<string, string>();

  on(streams.render$, (outcome) => {
    metrics.reconciliations.inc();
    if (outcome.kind === 'rejected') {
      metrics.reconciliationErrors.inc();
      return;
    }
    metrics.reconciliationSeconds.observe(outcome.tookMs / 1000);
    const errors = outcome.bundle.problems.filter((problem) => problem.severity === 'error').length;
    metrics.problems.set({ severity: 'error' }, errors);
    metrics.problems.set({ severity: 'warning' }, outcome.bundle.problems.length - errors);
  });
  on(streams.verdict$, (verdict) => metrics.validations.inc({ result: verdict.kind }));
  on(streams.latch$, (state) => metrics.configPinned.set(state.pinned ? 1 : 0));
  on(streams.delivery$, (report) => {
    const pod = report.pod.key;
    if (report.kind === 'failed') {
      metrics.applyFailures.inc({ pod, stage: report.stage });
      converged.delete(pod);
      return;
    }
    metrics.applies.inc({ pod, mode: report.mode });
    metrics.applySeconds.observe({ mode: report.mode }, report.tookMs / 1000);
    metrics.runtimeOperations.inc(report.operations);
    if (report.reloaded) metrics.reloads.inc();
    if (report.mode === 'scheduled') converged.delete(pod);
    else converged.set(pod, report.planId);
  });
  on(combineLatest([streams.fleet$, streams.latch$, streams.delivery$]), ([pods, { released }]) => {
    for (const key of converged.keys()) if (!pods.some((pod) => pod.key === key)) forgetPod(key);
    metrics.fleetConverged.set(
      [...converged.values()].filter((planId) => planId === released?.plan.id).length,
    );
  });
  on(streams.fleet$, (pods) => metrics.fleetSize.set(pods.length));

  /** A pod that is gone leaves no series behind. */
  function forgetPod(pod: string): void {
    converged.delete(pod);
    for (const mode of ['runtime', 'file_only', 'reload', 'scheduled', 'noop', 'rejected'])
      metrics.applies.remove({ pod, mode });
    for (const stage of ['unreachable', 'conflict', 'refused', 'rejected'])
      metrics.applyFailures.remove({ pod, stage });
  }
  return recording;
}
