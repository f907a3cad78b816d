import type { Observable, Subscription } from 'rxjs';
import type { PipelineLogger } from '../log-pipeline.ts';
import type { CheckpointReport } from './keep-checkpoints.ts';
import type { RecoveryState } from './recovery-state.ts';
import type { RetainedMetrics } from './retained-metrics.ts';

/**
 * Tells in the log and the metrics what is kept and what is given to pods. Subscribing is what makes the work go on. Ends when unsubscribed; a
 * stream's error is for `onError`: it is a bug.
 */
export function recordRetained(
  {
    report$,
    recovery$,
  }: {
    readonly report$: Observable<CheckpointReport>;
    readonly recovery$: Observable<RecoveryState>;
  },
  metrics: RetainedMetrics,
  log: PipelineLogger,
  onError: (error: unknown) => void,
): Subscription {
  metrics.active.set(0);
  let failure: string | undefined;
  const running = report$.subscribe({
    next: (report) => {
      if (report.kind !== 'kept') metrics.checkpoints.inc({ result: report.kind });
      if (report.kind !== 'failed') failure = undefined;
      switch (report.kind) {
        case 'kept':
        case 'removed':
          log.debug(report, 'retained renders');
          break;
        case 'written':
          log.info({ ...report.config, tookMs: report.tookMs }, 'render is retained');
          break;
        case 'too_large':
          log.warn(report, 'a render is too large to be retained');
          break;
        case 'failed':
          if (report.message === failure) log.debug(report, 'retaining still fails');
          else log.warn(report, 'the render could not be retained');
          failure = report.message;
      }
    },
    error: onError,
  });
  let former: RecoveryState['kind'] = 'off';
  running.add(
    recovery$.subscribe({
      next: (state) => {
        metrics.active.set(state.kind === 'active' ? 1 : 0);
        switch (state.kind) {
          case 'off':
            if (former !== 'off') log.info(state, 'retained renders are not needed any more');
            break;
          case 'pending':
            log.debug(state, 'there is no render of its own');
            break;
          case 'active':
            log.warn(state, 'nothing new can be rendered: HAProxy pods have a retained render');
            break;
          case 'unavailable':
            log.error(state, 'nothing new can be rendered, and new HAProxy pods get nothing');
        }
        former = state.kind;
      },
      error: onError,
    }),
  );
  return running;
}
