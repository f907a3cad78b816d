import type { Observable, Subscription } from 'rxjs';
import type { PipelineLogger } from '../log-pipeline.ts';
import type { Metrics } from '../metrics.ts';
import type { PublishReport } from './publish-effects.ts';

/**
 * Tells in the log and the metrics how it goes with what is published: `info` for each publication, `warn` when an object begins to
 * fail, once for each reason. Subscribing to the reports is what makes the work go on. Ends when unsubscribed; a stream's error is
 * for `onError`: it is a bug.
 */
export function recordPublishing(
  report$: Observable<PublishReport>,
  metrics: Pick<Metrics, 'published' | 'publishingFailing'>,
  log: PipelineLogger,
  onError: (error: unknown) => void,
): Subscription {
  /** What each object fails of. */
  const failing = new Map<string, string>();
  metrics.publishingFailing.set(0);
  return report$.subscribe({
    next: ({ kind, failing: count, ...fields }) => {
      metrics.published.inc({ result: kind });
      metrics.publishingFailing.set(count);
      const former = failing.get(fields.object);
      switch (kind) {
        case 'published':
          log.info(fields, 'render is published');
          break;
        case 'ready':
          failing.delete(fields.object);
          log.info(fields, 'renders can be published again');
          break;
        case 'off':
        case 'refused':
        case 'failed':
          failing.set(fields.object, fields.message ?? '');
          if (former === fields.message) log.debug(fields, 'publishing still fails');
          else log.warn(fields, kind === 'off' ? 'renders cannot be published' : 'publishing fails');
          break;
        case 'too_large':
          log.warn(fields, 'a file is too large to be published');
          break;
        default:
          failing.delete(fields.object);
          log.debug({ ...fields, result: kind }, 'published object');
      }
    },
    error: onError,
  });
}
