import { marbles } from 'rxjs-marbles';
import { describe, it } from 'vitest';
import type { CheckpointReport } from '../../../../src/sinks/retained/keep-checkpoints.ts';
import { keptOfTerm } from '../../../../src/sinks/retained/kept-of-term.ts';

describe('keptOfTerm', () => {
  it(
    'tells what is kept, and forgets it with the term: another leader may have kept others before the next one',
    marbles((m) => {
      const configs = [{ name: 'web-retained-a', uid: 'u', planID: 'a', checksum: 's' }];
      const leader = m.hot('  t-----f----t', { t: true, f: false });
      const report = m.hot<CheckpointReport>('-r-k--------------k', {
        r: { kind: 'failed', message: 'no' },
        k: { kind: 'kept', configs },
      });
      const kept$ = keptOfTerm(leader, report);
      const unsub = '         ^------------------!';
      m.expect(kept$, unsub).toBeObservable('---k--n-----------k', { k: configs, n: undefined });
      m.expect(leader).toHaveSubscriptions(unsub);
      m.expect(report).toHaveSubscriptions(unsub);
    }),
  );
});
