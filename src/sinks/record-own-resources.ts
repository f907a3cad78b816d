import type { Observable, Subscription } from 'rxjs';
import type { ResourceReport } from './k8s-resources.ts';
import type { PipelineLogger } from './log-pipeline.ts';
import type { Metrics } from './metrics.ts';

/**
 * Tells in the log and the metrics how it goes with own Kubernetes objects: `info` when one is applied or removed, `warn` when one begins
 * to fail, once for each reason. Subscribing to the reports is what makes the work go on. Ends when unsubscribed; a stream's error is
 * for `onError`: it is a bug.
 */
export function recordOwnResources(
  report$: Observable<ResourceReport>,
  metrics: Pick<Metrics, 'ownResources' | 'ownResourcesFailing'>,
  log: PipelineLogger,
  onError: (error: unknown) => void,
): Subscription {
  /** What each object fails of. */
  const failing = new Map<string, string>();
  metrics.ownResourcesFailing.set(0);
  return report$.subscribe({
    next: ({ kind, ...fields }) => {
      metrics.ownResources.inc({ result: kind });
      const former = failing.get(fields.object);
      if (kind === 'refused' || kind === 'failed') failing.set(fields.object, fields.message ?? '');
      else failing.delete(fields.object);
      metrics.ownResourcesFailing.set(failing.size);
      switch (kind) {
        case 'applied':
          log.info(fields, 'own object is applied');
          break;
        case 'removed':
          log.info(fields, 'own object is removed');
          break;
        case 'refused':
        case 'failed':
          if (former === fields.message) log.debug(fields, 'own object still fails');
          else log.warn(fields, kind === 'refused' ? 'own object is refused' : 'own object fails');
          break;
        default:
          log.debug({ ...fields, result: kind }, 'own object');
      }
    },
    error: onError,
  });
}
