import { type Observable, startWith, type Subscription, switchMap } from 'rxjs';
import type { Collection, Delta } from '../collections/types.ts';
import type { Deadline } from '../projections/deadline.ts';
import type { Metrics } from './metrics.ts';

/**
 * Keeps the gauge of the certificate of HTTPS that ends first: of those that are held, the moments that are to pass; 0 while there is none. The clock
 * plays no part, so that one that has ended stays told. Ends when unsubscribed; the stream's error is for `onError`: it is a bug.
 *
 * @param deadlines$ of the configuration at work: those of another one take the place of these
 */
export function recordCertificates(
  deadlines$: Observable<Collection<Deadline>>,
  metrics: Pick<Metrics, 'certificateExpiry'>,
  onError: (error: unknown) => void,
): Subscription {
  const ends = new Map<string, number>();
  let first = Infinity;
  const take = (deltas: Iterable<Pick<Delta<Deadline>, 'key' | 'after'>>): void => {
    let isGone = false;
    for (const { key, after } of deltas) {
      isGone ||= ends.get(key) === first;
      const end = after === undefined ? undefined : endOf(after);
      if (end === undefined) ends.delete(key);
      else {
        ends.set(key, end);
        first = Math.min(first, end);
      }
    }
    // Only when the first one itself is renewed or goes: there are thousands.
    if (isGone) first = [...ends.values()].reduce((a, b) => Math.min(a, b), Infinity);
    metrics.certificateExpiry.set(first === Infinity ? 0 : first / 1000);
  };
  return deadlines$
    .pipe(
      switchMap((deadlines) => {
        ends.clear();
        first = Infinity;
        const present = deadlines.keys().flatMap((key) => {
          const after = deadlines.peek(key);
          return after === undefined ? [] : [{ key, after }];
        });
        return deadlines.deltas$.pipe(startWith(present));
      }),
    )
    .subscribe({ next: take, error: onError });
}

function endOf({ when, told }: Deadline): number | undefined {
  return told === 'passed' && 'at' in when ? when.at : undefined;
}
