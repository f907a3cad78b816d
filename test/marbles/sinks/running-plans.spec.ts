import { marbles } from 'rxjs-marbles';
import { map, scan, tap } from 'rxjs';
import { describe, it } from 'vitest';
import type { DeliveryReport } from '../../../src/protocol/delivery-report.ts';
import type { HaproxyPod } from '../../../src/protocol/pod.ts';
import { createRunningPlans } from '../../../src/sinks/running-plans.ts';

const podOf = (key: string): HaproxyPod => ({ key, uid: key, address: '', port: 1, containerId: '' });
const acked = (key: string, planId: string, mode = 'runtime') =>
  ({ kind: 'acked', pod: podOf(key), planId, mode }) as DeliveryReport;

describe('createRunningPlans', () => {
  it(
    'follows what pods acknowledge, and lets go of pods that are gone',
    marbles((m) => {
      const plans = createRunningPlans();
      const reports = {
        a: acked('p', 'a'),
        b: acked('q', 'b', 'reload'),
        s: acked('p', 'c', 'scheduled'),
        f: { kind: 'failed', pod: podOf('p'), planId: 'd' } as DeliveryReport,
        e: acked('p', 'e', 'noop'),
        r: { kind: 'reverted', pod: podOf('p'), planId: 'e', lkgPlanId: 'a' } as DeliveryReport,
      };
      const delivery$ = m.hot('a-b-s-f-e-r-|', reports);
      const expected = '       a-b-b-b-e-b-|';
      const shown$ = delivery$.pipe(
        tap(plans.note),
        map(() => [...plans.ids()].sort().join(' ')),
      );
      m.expect(shown$).toBeObservable(expected, { a: 'a', b: 'a b', e: 'b e' });
      m.expect(delivery$).toHaveSubscriptions('^-----------!');
    }),
  );

  it(
    'forgets what a pod ran that is gone, or was replaced under its name',
    marbles((m) => {
      const plans = createRunningPlans();
      const fleet$ = m.hot('p-q-n-|', {
        p: [podOf('p')],
        q: [podOf('p'), podOf('q')],
        n: [{ ...podOf('p'), uid: 'other' }],
      });
      const shown$ = fleet$.pipe(
        tap((pods) => plans.keep(pods)),
        scan((count) => count + 1, 0),
        map((count) => {
          if (count === 1) plans.note(acked('p', 'a'));
          return plans.ids().size;
        }),
      );
      m.expect(shown$).toBeObservable('b-b-a-|', { a: 0, b: 1 });
      m.expect(fleet$).toHaveSubscriptions('^-----!');
    }),
  );
});
