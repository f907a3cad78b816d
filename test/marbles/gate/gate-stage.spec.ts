import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import { gateStage } from '../../../src/gate/gate-stage.ts';
import { bundleOf } from '../../fixtures/bundle-of.ts';

const bundles = { a: bundleOf('a'), b: bundleOf('b'), c: bundleOf('c') };
const isChecked = (verdict: string) => verdict !== 'u';
const retry = { min: 4, max: 8 };

describe('gateStage', () => {
  it(
    'checks one render at a time, the newest next, and skips those in between',
    marbles((m) => {
      const check = m.cold('     ---A|');
      const seen: string[] = [];
      const bundle$ = m.hot('   abc-----------|', bundles);
      const expected = '        ---A---A------|';
      const stage = gateStage({ isChecked, retry, check: (plan) => (seen.push(plan.id), check) });
      m.expect(bundle$.pipe(stage)).toBeObservable(expected);
      m.expect(check).toHaveSubscriptions(['^---!', '----^---!']);
      m.expect(bundle$).toHaveSubscriptions('^-------------!');
      m.flush();
      expect(seen).toEqual(['a', 'c']);
    }),
  );

  it(
    'repeats a check that could not run, with growing delays, until it can',
    marbles((m) => {
      const unable = m.cold('   (u|)');
      const able = m.cold('     (A|)');
      let attempts = 0;
      const bundle$ = m.hot('   a-------------------------|', bundles);
      const expected = '        u---u-------u-------A-----|';
      const stage = gateStage({ isChecked, retry, check: () => (++attempts < 4 ? unable : able) });
      m.expect(bundle$.pipe(stage)).toBeObservable(expected);
      m.expect(unable).toHaveSubscriptions(['(^!)', '----(^!)', '------------(^!)']);
      m.expect(able).toHaveSubscriptions('--------------------(^!)');
    }),
  );

  it(
    'leaves a check that cannot run for a newer render at once',
    marbles((m) => {
      const unable = m.cold('   (u|)');
      const able = m.cold('       -A|');
      const bundle$ = m.hot('   a-b-------|', bundles);
      const expected = '        u--A------|';
      const stage = gateStage({ isChecked, retry, check: (plan) => (plan.id === 'a' ? unable : able) });
      m.expect(bundle$.pipe(stage)).toBeObservable(expected);
      m.expect(unable).toHaveSubscriptions('(^!)');
      m.expect(able).toHaveSubscriptions('  --^-!');
    }),
  );

  it(
    'cancels the running check when unsubscribed',
    marbles((m) => {
      const check = m.cold('     ------A|');
      const bundle$ = m.hot('   a--------', bundles);
      m.expect(bundle$.pipe(gateStage({ isChecked, retry, check: () => check })), '^--!').toBeObservable(
        '----',
      );
      m.expect(check).toHaveSubscriptions('^--!');
    }),
  );
});
