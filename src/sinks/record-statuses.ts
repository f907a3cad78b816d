import type { Observable, Subscription } from 'rxjs';
import type { KeptStatus } from './keep-statuses.ts';
import type { PipelineLogger } from './log-pipeline.ts';
import type { StatusMetrics } from './status-metrics.ts';

/**
 * Tells in the log and the metrics how it goes with statuses: `warn` when an object begins to fail, once for all objects of which the same
 * is to be said. Subscribing to the reports is what makes the work go on. Ends when unsubscribed; a stream's error is for `onError`:
 * it is a bug.
 */
export function recordStatuses(
  report$: Observable<KeptStatus>,
  metrics: Pick<StatusMetrics, 'writes' | 'failing'>,
  log: PipelineLogger,
  onError: (error: unknown) => void,
): Subscription {
  /** What each object fails of. */
  const failing = new Map<string, string>();
  const told = new Set<string>();
  metrics.failing.set(0);
  return report$.subscribe({
    next: (report) => {
      if (report.kind === 'unknown') {
        tell('', report.message, 'what former processes wrote into statuses is not known');
        return;
      }
      const { kind, message = '', ...fields } = report;
      metrics.writes.inc({ result: kind });
      if (kind === 'written' || kind === 'withdrawn' || kind === 'gone') {
        failing.delete(fields.object);
        if (failing.size === 0) told.clear();
        log.debug(fields, `status is ${kind}`);
      } else {
        failing.set(fields.object, message);
        tell(
          kind === 'forbidden' || kind === 'failed' ? kind : fields.object,
          message,
          'status cannot be written',
          {
            ...fields,
            result: kind,
          },
        );
      }
      metrics.failing.set(failing.size);
    },
    error: onError,
  });

  function tell(about: string, reason: string, text: string, fields: object = {}): void {
    const key = `${about} ${reason}`;
    if (told.has(key)) {
      log.debug({ ...fields, reason }, text);
      return;
    }
    if (told.size > 1_000) told.clear();
    told.add(key);
    log.warn({ ...fields, reason }, text);
  }
}
