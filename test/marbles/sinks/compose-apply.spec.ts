import { marbles } from 'rxjs-marbles';
import { type Observable, NEVER, map, merge } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { DeliveryReport } from '../../../src/protocol/delivery-report.ts';
import { createDelivery } from '../../../src/sinks/deliver.ts';
import { podOf } from '../../fixtures/delivery-reports.ts';
import { fakePods, planWith, targetOf } from '../../fixtures/fake-pod.ts';

const one = planWith('s1');
const word = map((report: DeliveryReport) => (report.kind === 'acked' ? 'r' : 'x'));
/** A pause wherever work can pause: two, where nothing is known of the pod. */
const pausing = (pause$: Observable<unknown>) => ({
  slices: { pause$, now: () => 0, sliceMs: 0 },
});

describe('composing an apply that takes long', () => {
  it(
    'pauses, and is done once for pods in the same state',
    marbles((m) => {
      const pause$ = m.cold('  --p');
      const fake = fakePods(pausing(pause$));
      const deliver = createDelivery(fake.deps);
      const all = merge(...['p', 'q', 's'].map((key) => deliver(targetOf(one, podOf(key)), NEVER)));
      m.expect(all.pipe(word), '^-----!').toBeObservable('----(rrr)');
      m.expect(pause$).toHaveSubscriptions(['^-!', '--^-!']);
    }),
  );

  it(
    'goes on for the pod that still waits, and is given up when none does',
    marbles((m) => {
      const pause$ = m.cold('                            --p');
      const fake = fakePods(pausing(pause$));
      const deliver = createDelivery(fake.deps);
      const to = (key: string) => deliver(targetOf(one, podOf(key)), NEVER).pipe(word);
      m.expect(to('p'), '                                ^-!').toBeObservable('--');
      m.expect(to('q'), '                                ^----!').toBeObservable('----r');
      m.expect(to('s'), '                                ----------^-!').toBeObservable('----------r');
      m.expect(pause$).toHaveSubscriptions(['            ^-!', '--^-!']);
      const other = fakePods(pausing(m.cold('            --p')));
      m.expect(createDelivery(other.deps)(targetOf(one), NEVER), '^--!').toBeObservable('---');
      m.flush();
      expect(fake.applies).toHaveLength(2);
      expect(other.applies).toHaveLength(0);
    }),
  );

  it(
    'sends nothing once the term is over',
    marbles((m) => {
      let isHeld = true;
      const pause$ = m.cold('--p').pipe(map(() => (isHeld = false)));
      const fake = fakePods({
        ...pausing(pause$),
        epoch: { current: () => 0, isHeld: () => isHeld, reclaim: () => NEVER },
      });
      m.expect(createDelivery(fake.deps)(targetOf(one), NEVER)).toBeObservable('----|');
      m.flush();
      expect(fake.applies).toHaveLength(0);
    }),
  );
});
