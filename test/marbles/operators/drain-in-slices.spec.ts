import { marbles } from 'rxjs-marbles';
import { describe, it } from 'vitest';
import { drainInSlices } from '../../../src/operators/drain-in-slices.ts';

const sets = { a: ['x'], b: ['x', 'y'], m: ['1', '2', '3', '4', '5'], e: [] };

describe('drainInSlices', () => {
  it(
    'lets items out, those that come in one burst once',
    marbles((m) => {
      const source = m.hot<readonly string[]>('a--(ab)--e-|', sets);
      const expected = '                       x--(xy)----|';
      m.expect(source.pipe(drainInSlices(2))).toBeObservable(expected);
      m.expect(source).toHaveSubscriptions('^----------!');
    }),
  );

  it(
    'lets a large set out in slices, each in a task of its own',
    marbles((m) => {
      const source = m.cold<readonly string[]>('(m|)', sets);
      const result$ = source.pipe(drainInSlices(2));
      m.expect(result$).toBeObservable('(12345|)');
    }),
  );

  it(
    'ends with what waits when it is unsubscribed, and passes errors',
    marbles((m) => {
      const source = m.hot<readonly string[]>('a--a--', sets);
      m.expect(source.pipe(drainInSlices(2)), '^-!').toBeObservable('x--');
      m.expect(source).toHaveSubscriptions('^-!');
      m.expect(m.cold<readonly string[]>('a-#', sets).pipe(drainInSlices(2))).toBeObservable('x-#');
    }),
  );
});
