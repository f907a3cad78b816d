import { defer, of } from 'rxjs';
import type { LeaderEpoch } from '../protocol/leader-epoch.ts';

/**
 * The epoch of a controller that has no rival: it begins at zero and rises only when a pod remembers a higher one, as after a
 * time with leader election.
 */
export function singleWriter(): LeaderEpoch {
  let epoch = 0;
  return {
    current: () => epoch,
    isHeld: () => true,
    reclaim: (floor) =>
      defer(() => {
        epoch = Math.max(epoch, floor + 1);
        return of('reclaimed' as const);
      }),
  };
}
