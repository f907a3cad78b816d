import { type Observable, filter, map, merge } from 'rxjs';
import type { RetainedConfig } from '../../protocol/retained-config.ts';
import type { CheckpointReport } from './keep-checkpoints.ts';

/**
 * Retained renders that may be told, as this process knows them in its term; undefined: they are not known. Another leader may have kept others since,
 * so nothing of a term is known in a later one.
 *
 * @param leader$ true as long as this process leads
 */
export function keptOfTerm(
  leader$: Observable<boolean>,
  report$: Observable<CheckpointReport>,
): Observable<readonly RetainedConfig[] | undefined> {
  return merge(
    leader$.pipe(
      filter((isLeader) => !isLeader),
      map(() => undefined),
    ),
    report$.pipe(
      filter((report) => report.kind === 'kept'),
      map(({ configs }) => configs),
    ),
  );
}
