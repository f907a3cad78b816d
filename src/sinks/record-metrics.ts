import { type Observable, Subscription } from 'rxjs';
import type { LatchState, LatchVerdict } from '../gate/latch.ts';
import type { Problem } from '../lib/problem.ts';
import type { RenderOutcome } from '../protocol/render-outcome.ts';
import type { Metrics } from './metrics.ts';

export interface RecordedStreams {
  readonly render$: Observable<RenderOutcome>;
  readonly verdict$: Observable<LatchVerdict>;
  readonly latch$: Observable<LatchState>;
}

const verdictKinds: readonly LatchVerdict['kind'][] = ['accepted', 'refused', 'unchecked'];

/** Keeps the metrics of renders and their checks in step with the pipeline until unsubscribed. A stream's error is for `onError`: it is a bug. */
export function recordMetrics(
  streams: RecordedStreams,
  metrics: Metrics,
  onError: (error: unknown) => void,
): Subscription {
  const recording = new Subscription();
  const on = <T>(stream$: Observable<T>, next: (value: T) => void): void =>
    recording.add(stream$.subscribe({ next, error: onError }));

  let counted: readonly Problem[] | undefined;

  // At nought from the start: Prometheus does not see that a series has grown with its first value.
  for (const result of verdictKinds) metrics.validations.inc({ result }, 0);
  on(streams.render$, (outcome) => {
    metrics.reconciliations.inc();
    metrics.reconciliationFailing.set(outcome.kind === 'rejected' ? 1 : 0);
    if (outcome.kind === 'rejected') {
      metrics.reconciliationErrors.inc();
      return;
    }
    metrics.reconciliationSeconds.observe(outcome.tookMs / 1000);
    const { problems } = outcome.bundle;
    // Most renders have the list of the one before, which may be as long as the cluster is large.
    if (problems === counted) return;
    counted = problems;
    const errors = problems.filter((problem) => problem.severity === 'error').length;
    metrics.problems.set({ severity: 'error' }, errors);
    metrics.problems.set({ severity: 'warning' }, problems.length - errors);
  });
  on(streams.verdict$, (verdict) => metrics.validations.inc({ result: verdict.kind }));
  on(streams.latch$, (state) => metrics.configPinned.set(state.pinned ? 1 : 0));
  return recording;
}
