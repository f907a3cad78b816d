import type { Observable, Subscription } from 'rxjs';
import type { PipelineLogger } from './log-pipeline.ts';
import type { Metrics } from './metrics.ts';

/** What happened to a URL; see `HttpReport` of the stream. */
export interface HttpContentReport {
  readonly kind: 'fetched' | 'unchanged' | 'failed' | 'accepted' | 'refused' | 'unseen' | 'given-up';
  readonly url: string;
  readonly digest?: string;
  readonly bytes?: number;
  readonly reason?: string;
  readonly message?: string;
}

/**
 * Tells in the log and the metrics how it goes with HTTP content: `info` when new content is in effect, `warn` when it is refused or a
 * URL begins to fail, `debug` for the rest. Subscribing to the reports is what makes the work go on. Ends when unsubscribed; a stream's
 * error is for `onError`: it is a bug.
 *
 * @param count URLs that are followed now
 */
export function recordHttpContents(
  report$: Observable<HttpContentReport>,
  count: () => number,
  metrics: Pick<Metrics, 'httpContents' | 'httpUrls'>,
  log: PipelineLogger,
  onError: (error: unknown) => void,
): Subscription {
  /** What each URL fails of: said once. */
  const failing = new Map<string, string>();
  metrics.httpUrls.set(0);
  return report$.subscribe({
    next: ({ kind, ...fields }) => {
      metrics.httpContents.inc({ result: kind });
      metrics.httpUrls.set(count());
      const former = failing.get(fields.url);
      if (kind === 'failed') failing.set(fields.url, fields.message ?? '');
      else if (kind === 'fetched' || kind === 'unchanged' || kind === 'given-up') failing.delete(fields.url);
      if (former !== undefined && (kind === 'fetched' || kind === 'unchanged'))
        log.info(fields, 'http content can be had again');
      switch (kind) {
        case 'accepted':
          log.info(fields, 'http content is in effect');
          break;
        case 'refused':
          log.warn(fields, 'http content is refused, the former stays');
          break;
        case 'failed':
          if (former !== fields.message) log.warn(fields, 'http content cannot be had');
          else log.debug(fields, 'http content still cannot be had');
          break;
        default:
          log.debug({ ...fields, result: kind }, 'http content');
      }
    },
    error: onError,
  });
}
