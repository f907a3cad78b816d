import { marbles } from 'rxjs-marbles';
import { EMPTY, type Observable, Subject, concat, map, merge, of, race, take, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { exhaustMapLatestByKey } from '../../../src/operators/exhaust-map-latest-by-key.ts';

/** `a1`: the first value of the key a. */
const keyOf = (value: string): string => value.charAt(0);

describe('exhaustMapLatestByKey', () => {
  it(
    'runs keys side by side, and one inner at a time of each with the newest value',
    marbles((m) => {
      const values = { a: 'a1', b: 'b1', c: 'a2', d: 'a3' };
      const inner = m.cold('   ---r|');
      const source = m.hot('   ab-(cd)-------|', values);
      const expected = '       ---xy--z------|';
      const seen: string[] = [];
      const result$ = source.pipe(
        exhaustMapLatestByKey({
          keyOf,
          project: (value) => {
            seen.push(value);
            return inner.pipe(map(() => value));
          },
        }),
      );
      m.expect(result$).toBeObservable(expected, { x: 'a1', y: 'b1', z: 'a3' });
      m.expect(source).toHaveSubscriptions('^-------------!');
      m.expect(inner).toHaveSubscriptions(['^---!', '-^---!', '----^---!']);
      m.flush();
      expect(seen).toEqual(['a1', 'b1', 'a3']);
    }),
  );

  it(
    'tells a waiting inner that something newer came, also when that was before it began to wait',
    marbles((m) => {
      const source = m.hot('a-b------|', { a: 'a1', b: 'a2' });
      const work = m.cold<never>('---|');
      const result$ = source.pipe(
        exhaustMapLatestByKey({
          keyOf,
          project: (value, newer$) =>
            concat(
              work,
              race(
                timer(100).pipe(map(() => `${value} waited`)),
                newer$.pipe(map(() => `${value} gave up`)),
              ).pipe(take(1)),
            ),
        }),
      );
      m.expect(result$).toBeObservable('---x 102ms (y|)', { x: 'a1 gave up', y: 'a2 waited' });
      m.expect(work).toHaveSubscriptions(['^--!', '---^--!']);
    }),
  );

  it(
    'cancels what runs when it is unsubscribed',
    marbles((m) => {
      const source = m.hot('a-b----', { a: 'a1', b: 'b1' });
      const inner = m.cold('-----r');
      const unsub = '       ---!';
      m.expect(source.pipe(exhaustMapLatestByKey({ keyOf, project: () => inner })), unsub).toBeObservable(
        '----',
      );
      m.expect(source).toHaveSubscriptions('^--!');
      m.expect(inner).toHaveSubscriptions(['^--!', '--^!']);
    }),
  );

  it(
    'passes errors of the source, of project and of inners',
    marbles((m) => {
      const wrong = new Error('wrong');
      const failing = m.cold('  -#', {}, wrong);
      const other = m.cold('    -----r|');
      const source = m.hot('    ab', { a: 'a1', b: 'b1' });
      const inners: Record<string, Observable<string>> = { a1: other, b1: failing };
      const of_ = exhaustMapLatestByKey<string, string>({
        keyOf,
        project: (value) => inners[value] ?? EMPTY,
      });
      m.expect(source.pipe(of_)).toBeObservable('  --#', {}, wrong);
      m.expect(other).toHaveSubscriptions('         ^-!');
      m.expect(m.cold('-#', {}, wrong).pipe(of_)).toBeObservable('-#', {}, wrong);
      const throwing = exhaustMapLatestByKey<string, string>({
        keyOf,
        project: () => {
          throw wrong;
        },
      });
      m.expect(m.cold('-a', { a: 'a1' }).pipe(throwing)).toBeObservable('-#', {}, wrong);
    }),
  );

  it('neither grows the stack nor forgets a value that an inner itself causes', () => {
    const more = new Subject<number>();
    const seen: number[] = [];
    merge(more, of(0))
      .pipe(
        exhaustMapLatestByKey({
          keyOf: () => 'k',
          project: (value) => {
            seen.push(value);
            if (value < 20_000) more.next(value + 1);
            return of(value);
          },
        }),
      )
      .subscribe();
    expect(seen).toHaveLength(20_001);
  });
});
