import { marbles } from 'rxjs-marbles';
import { combineLatest, map } from 'rxjs';
import { describe, it } from 'vitest';
import { coalesce } from '../../../src/operators/coalesce.ts';

describe('coalesce', () => {
  it(
    'lets a synchronous burst through as its newest value within the same frame',
    marbles((m) => {
      const source = m.hot('  (abc)--d-(ef)---|');
      const expected = '      c------d-f------|';
      m.expect(source.pipe(coalesce())).toBeObservable(expected);
      m.expect(source).toHaveSubscriptions('^---------------!');
    }),
  );

  it(
    'hides the half-updated pair of a combineLatest diamond',
    marbles((m) => {
      const source = m.hot('  1--2--3--|');
      const tens$ = source.pipe(map((n) => `${n}0`));
      const pair$ = combineLatest([source, tens$]).pipe(map((pair) => pair.join('/')));
      const values = { a: '1/10', b: '2/20', c: '3/30' };
      m.expect(pair$.pipe(coalesce())).toBeObservable('a--b--c--|', values);
    }),
  );

  it(
    'passes errors at once and stops with its subscriber',
    marbles((m) => {
      const failing = m.hot('a-#');
      m.expect(failing.pipe(coalesce())).toBeObservable('a-#');
      const source = m.hot(' a-b-c-');
      m.expect(source.pipe(coalesce()), '^--!').toBeObservable('a-b-');
      m.expect(source).toHaveSubscriptions('^--!');
    }),
  );
});
