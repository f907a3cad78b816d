import { marbles } from 'rxjs-marbles';
import { map } from 'rxjs';
import { describe, it } from 'vitest';
import { latch, type LatchState, type LatchVerdict } from '../../../src/gate/latch.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';

const bundles = { a: bundleOf('a'), b: bundleOf('b'), c: bundleOf('c'), d: bundleOf('d') };
const accepted = (planId: string): LatchVerdict => ({ planId, kind: 'accepted' });
const refused = (planId: string): LatchVerdict => ({ planId, kind: 'refused' });
const unchecked = (planId: string): LatchVerdict => ({ planId, kind: 'unchecked' });
const shown = map(
  (state: LatchState) => `${state.released?.plan.id ?? '-'} ${state.mode}${state.pinned ? ' pinned' : ''}`,
);
const words = {
  n: '- pessimistic',
  A: 'a optimistic',
  B: 'b optimistic',
  C: 'c optimistic',
  D: 'd optimistic',
  v: 'c pessimistic',
  x: 'b pessimistic',
  y: 'b pessimistic pinned',
  z: 'a pessimistic',
};

describe('latch', () => {
  it(
    'holds the first render until HAProxy accepts it, then lets renders out at once',
    marbles((m) => {
      const bundle$ = m.hot('   a-----b---|', bundles);
      const verdict$ = m.hot('  ---A----B-|', { A: accepted('a'), B: accepted('b') });
      const expected = '        n--A--B-B-|';
      m.expect(latch(bundle$, verdict$).pipe(shown)).toBeObservable(expected, words);
      m.expect(bundle$).toHaveSubscriptions(' ^---------!');
      m.expect(verdict$).toHaveSubscriptions('^---------!');
    }),
  );

  it(
    'turns pessimistic when the newest render is refused, holds later ones, and releases the one that passes',
    marbles((m) => {
      const bundle$ = m.hot('   a--b---c---d----|', bundles);
      const verdicts = { A: accepted('a'), b: refused('b'), c: refused('c'), D: accepted('d') };
      const verdict$ = m.hot('  -A---b---c---D--|', verdicts);
      const expected = '        nA-B-x-x-y-y-D--|';
      m.expect(latch(bundle$, verdict$).pipe(shown)).toBeObservable(expected, words);
    }),
  );

  it(
    'is not starved by renders that come faster than checks: any acceptance releases the newest',
    marbles((m) => {
      const bundle$ = m.hot('   abcd-----|', bundles);
      const verdict$ = m.hot('  ---A-----|', { A: accepted('a') });
      m.expect(latch(bundle$, verdict$).pipe(shown)).toBeObservable('nnn(nD)--|', words);
      m.expect(bundle$).toHaveSubscriptions('^--------!');
      m.expect(verdict$).toHaveSubscriptions('^--------!');
    }),
  );

  it(
    'holds renders after a refusal of content that is not the newest any more, and lets them out with the next acceptance',
    marbles((m) => {
      const bundle$ = m.hot('   a--b-c---d---|', bundles);
      const verdict$ = m.hot('  -A----b---C--|', { A: accepted('a'), b: refused('b'), C: accepted('c') });
      const expected = '        nA-B-Cv--vD--|';
      m.expect(latch(bundle$, verdict$).pipe(shown)).toBeObservable(expected, words);
    }),
  );

  it(
    'holds renders that come while the check cannot run',
    marbles((m) => {
      const bundle$ = m.hot('   a---b---|', bundles);
      const verdict$ = m.hot('  -u-A--u-|', { u: unchecked('a'), A: accepted('a') });
      const expected = '        nn-AB-x-|';
      m.expect(latch(bundle$, verdict$).pipe(shown)).toBeObservable(expected, words);
    }),
  );

  it(
    'lets a render of the content that is out already pass while pessimistic',
    marbles((m) => {
      const again = bundleOf('a');
      const bundle$ = m.hot('   a--b--r-|', { ...bundles, r: again });
      const verdict$ = m.hot('  -A--b---|', { A: accepted('a'), b: refused('b') });
      const released$ = latch(bundle$, verdict$).pipe(map((state) => state.released));
      const expected = '        na-bb-b-|';
      m.expect(released$).toBeObservable(expected, { n: undefined, a: bundles.a, b: bundles.b });
    }),
  );
});
