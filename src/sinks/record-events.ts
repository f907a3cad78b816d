import type { Observable, Subscription } from 'rxjs';
import { formatOwner } from '../lib/owner.ts';
import type { EventMetrics } from './event-metrics.ts';
import type { EventReport } from './event-teller.ts';
import type { PipelineLogger } from './log-pipeline.ts';

/**
 * Tells in the log and the metrics what became of Events: `warn` when they begin to fail, once for each reason. Subscribing to the
 * reports is what makes the work go on. Ends when unsubscribed; a stream's error is for `onError`: it is a bug.
 */
export function recordEvents(
  report$: Observable<EventReport>,
  metrics: EventMetrics,
  log: PipelineLogger,
  onError: (error: unknown) => void,
): Subscription {
  const failing = new Set<string>();
  return report$.subscribe({
    next: ({ kind, fact, message }) => {
      metrics.events.inc({ result: kind });
      const fields = {
        object: formatOwner(fact.about),
        event: fact.reason,
        ...(message !== undefined && { reason: message }),
      };
      if (kind === 'failed' && !failing.has(message ?? '')) {
        if (failing.size >= 100) failing.clear();
        failing.add(message ?? '');
        log.warn(fields, 'events cannot be written');
        return;
      }
      if (kind === 'created' || kind === 'repeated') failing.clear();
      log.debug({ ...fields, result: kind }, 'event');
    },
    error: onError,
  });
}
