import type { Observable, Subscription } from 'rxjs';
import type { TraceEvent } from '../protocol/trace-event.ts';
import type { EventHistory } from './event-history.ts';
import type { Metrics } from './metrics.ts';
import { reloadCause } from './reload-cause.ts';

export interface RecordTraceDeps {
  readonly metrics: Pick<
    Metrics,
    'renders' | 'turnChanges' | 'stageSeconds' | 'changeSeconds' | 'reloadReasons'
  >;
  readonly history: Pick<EventHistory, 'record'>;
  readonly log: { readonly info: (fields: object, message: string) => void };
  readonly onError: (error: unknown) => void;
}

/** Milliseconds to seconds. */
const second = 1_000;

/**
 * Keeps the metrics and the history of what goes through the pipeline, and tells each revision that comes into effect, in one line of the log. Ends
 * when unsubscribed; the stream's error is for `onError`: it is a bug.
 */
export function recordTrace(event$: Observable<TraceEvent>, deps: RecordTraceDeps): Subscription {
  const { metrics, history, log, onError } = deps;
  return event$.subscribe({
    next: (event) => {
      history.record(event);
      switch (event.type) {
        case 'render':
          metrics.renders.inc({ cache_state: event.cacheState });
          metrics.turnChanges.observe(event.changes);
          metrics.stageSeconds.observe({ stage: 'render' }, event.tookMs / second);
          if (event.waitedMs !== undefined)
            metrics.stageSeconds.observe({ stage: 'wait' }, event.waitedMs / second);
          return;
        case 'verdict':
          metrics.stageSeconds.observe({ stage: 'gate' }, event.afterMs / second);
          return;
        case 'delivery':
          if (event.mode === 'failed' || event.mode === 'reverted' || event.mode === 'noop') return;
          metrics.stageSeconds.observe({ stage: 'apply' }, event.tookMs / second);
          if (event.sinceChangeMs !== undefined) metrics.changeSeconds.observe(event.sinceChangeMs / second);
          for (const reason of event.reasons) metrics.reloadReasons.inc({ cause: reloadCause(reason) });
          return;
        case 'revision': {
          const { type: _type, id: correlationId, ...fields } = event;
          log.info({ correlationId, ...fields }, 'revision in effect');
          return;
        }
        case 'changes':
        case 'rejected':
      }
    },
    error: onError,
  });
}
