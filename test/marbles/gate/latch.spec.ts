import { marbles } from 'rxjs-marbles';
import { map } from 'rxjs';
import { describe, it } from 'vitest';
import { type JudgedBundle, latch, type LatchState } from '../../../src/gate/latch.ts';
import { emptyOrderedMap } from '../../../src/lib/ordered-map.ts';
import { noQuarantine } from '../../../src/protocol/provenance.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';

const bundles = { a: bundleOf('a'), b: bundleOf('b'), c: bundleOf('c'), d: bundleOf('d') };
const judged =
  (kind: JudgedBundle['verdict']['kind'], stuck?: string) =>
  (planId: keyof typeof bundles): JudgedBundle => ({
    bundle: bundles[planId],
    verdict: { planId, kind },
    ...(stuck === undefined ? {} : { state: { stuck } }),
  });
const accepted = judged('accepted');
const refused = judged('refused');
const unchecked = judged('unchecked');
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
  y: 'a pessimistic pinned',
  w: 'b pessimistic pinned',
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
    'holds what follows a refusal, goes back to the last accepted render at the second one, and releases the one that passes',
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

  it(
    'goes back to the last accepted render at once when nobody can be held back',
    marbles((m) => {
      const bundle$ = m.hot('   a--b------|', bundles);
      const judged$ = m.hot('   -A---b----|', { A: accepted('a'), b: judged('refused', 'no')('b') });
      const expected = '        nA-B-y----|';
      m.expect(latch(bundle$, judged$).pipe(shown)).toBeObservable(expected, words);
      m.expect(judged$).toHaveSubscriptions('^---------!');
    }),
  );

  it(
    'takes a check that could not run for no refusal: what is out stays out',
    marbles((m) => {
      const bundle$ = m.hot('   a--b------|', bundles);
      const judged$ = m.hot('   -A---u-u--|', { A: accepted('a'), u: unchecked('b') });
      const expected = '        nA-B-x-w--|';
      m.expect(latch(bundle$, judged$).pipe(shown)).toBeObservable(expected, words);
    }),
  );

  it(
    'names the refused plan as long as no accepted one is known, so that pods can give it up',
    marbles((m) => {
      const bundle$ = m.hot('   a---b---|', bundles);
      const judged$ = m.hot('   --a---B-|', { a: refused('a'), B: accepted('b') });
      const expected = '        n-a-a-n-|';
      const refused$ = latch(bundle$, judged$).pipe(map((state) => state.refusedPlanId));
      m.expect(refused$).toBeObservable(expected, { n: undefined, a: 'a' });
    }),
  );

  it(
    'holds the first render of another configuration until HAProxy accepts one of it',
    marbles((m) => {
      const of = (id: string, generation: object) => ({
        ...bundleOf(id),
        provenance: {
          generation,
          outputs: emptyOrderedMap<never>(),
          quarantine: noQuarantine,
          withheld: new Map<string, string>(),
          withheldPatches: [],
          candidate: () => undefined,
          configuration: '',
          restore: () => undefined,
        },
      });
      const [former, later] = [{}, {}];
      const renders = { a: of('a', former), b: of('b', former), c: of('c', later) };
      const verdictOn = (id: keyof typeof renders): JudgedBundle => ({
        bundle: renders[id],
        verdict: { planId: id, kind: 'accepted' },
      });
      const bundle$ = m.hot('   a--b-c------|', renders);
      const judged$ = m.hot('   -A-----B--C-|', { A: verdictOn('a'), B: verdictOn('b'), C: verdictOn('c') });
      const expected = '        nA-B-x-x--C-|';
      m.expect(latch(bundle$, judged$).pipe(shown)).toBeObservable(expected, words);
    }),
  );

  it(
    'goes on as it is when a term begins and HAProxy has accepted what is out',
    marbles((m) => {
      const bundle$ = m.hot('   a-----b-----|', bundles);
      const judged$ = m.hot('   -A-------B--|', { A: accepted('a'), B: accepted('b') });
      const term$ = m.hot('     t--t--------|');
      const expected = '        nA----B--B--|';
      m.expect(latch(bundle$, judged$, term$).pipe(shown)).toBeObservable(expected, words);
      m.expect(term$).toHaveSubscriptions('^-----------!');
    }),
  );

  it(
    'holds what HAProxy has not seen when a term begins, takes nothing older instead, and releases the newest with its verdict',
    marbles((m) => {
      const bundle$ = m.hot('   a--b-----c----|', bundles);
      const judged$ = m.hot('   -A---------B--|', { A: accepted('a'), B: accepted('b') });
      const term$ = m.hot('     ------t-------|');
      const expected = '        nA-B--n--n-C--|';
      m.expect(latch(bundle$, judged$, term$).pipe(shown)).toBeObservable(expected, words);
    }),
  );

  it(
    'stays at the last accepted render when a term begins while newer ones are refused',
    marbles((m) => {
      const bundle$ = m.hot('   a--b---c---d--|', bundles);
      const judged$ = m.hot('   -A---b---c----|', { A: accepted('a'), b: refused('b'), c: refused('c') });
      const term$ = m.hot('     ----------t---|');
      const expected = '        nA-B-x-x-y-y--|';
      m.expect(latch(bundle$, judged$, term$).pipe(shown)).toBeObservable(expected, words);
    }),
  );
});
