import { marbles } from 'rxjs-marbles';
import { concatMap, map, merge, tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createBreaker } from '../../../src/operators/create-breaker.ts';

describe('createBreaker', () => {
  it(
    'lets everything through as long as nothing failed',
    marbles((m) => {
      const breaker = createBreaker();
      m.expect(breaker.admit().pipe(map(() => 'r'))).toBeObservable('(r|)');
      expect(breaker.isOpen).toBe(false);
    }),
  );

  it(
    'has one of those who wait try after each pause, and the others as soon as that went well',
    marbles((m) => {
      const breaker = createBreaker();
      breaker.trip(5);
      const trial = m.cold('--(t|)');
      const first$ = breaker.admit().pipe(
        concatMap(() => trial),
        tap(() => breaker.close()),
      );
      const second$ = breaker.admit().pipe(map(() => 's'));
      const third$ = breaker.admit().pipe(map(() => 'u'));
      m.expect(merge(first$, second$, third$)).toBeObservable('-------(sut|)');
      m.expect(trial).toHaveSubscriptions('-----^-!');
    }),
  );

  it(
    'has another one try when the first never comes back',
    marbles((m) => {
      const breaker = createBreaker();
      breaker.trip(5);
      const names = ['a', 'b', 'c'];
      m.expect(merge(...names.map((name) => breaker.admit().pipe(map(() => name))))).toBeObservable(
        '-----a----b----(c|)',
      );
    }),
  );

  it(
    'waits longer when it is tripped again, and begins anew after it was closed',
    marbles((m) => {
      const breaker = createBreaker();
      breaker.trip(5);
      breaker.trip(8);
      breaker.trip(2);
      m.expect(breaker.admit().pipe(map(() => 'r'))).toBeObservable('--------(r|)');
    }),
  );

  it(
    'holds nothing of who does not wait any more',
    marbles((m) => {
      const breaker = createBreaker();
      breaker.trip(5);
      m.expect(breaker.admit().pipe(map(() => 'a')), '^-!').toBeObservable('---');
      m.expect(breaker.admit().pipe(map(() => 'b'))).toBeObservable('-----(b|)');
    }),
  );
});
