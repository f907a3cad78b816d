import { BehaviorSubject, EMPTY, concat, of, tap } from 'rxjs';
import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import { whileOpen } from '../../../src/operators/while-open.ts';

const states = { t: true, f: false };

describe('whileOpen', () => {
  it(
    'is subscribed to the source only while open, and loses what it emits meanwhile',
    marbles((m) => {
      const open = m.hot('    -t---f---t--t--', states);
      const source = m.hot('  a-b-c--d-e-f-g-|');
      const expected = '      --b-c----e-f-g-|';
      const subs = ['         -^---!---------', '         ---------^-----!'];
      m.expect(source.pipe(whileOpen(open))).toBeObservable(expected);
      m.expect(source).toHaveSubscriptions(subs);
      m.expect(open).toHaveSubscriptions('^--------------!');
    }),
  );

  it(
    'tells the current value of a source that has one at each opening',
    marbles((m) => {
      const open = m.hot('    t--f-t-', states);
      const source = m.cold(' a-b----');
      m.expect(source.pipe(whileOpen(open))).toBeObservable('a-b--a-b');
      m.expect(source).toHaveSubscriptions(['^--!---', '-----^-']);
    }),
  );

  it(
    'emits nothing before it is told to, and ends with its own subscription',
    marbles((m) => {
      const open = m.hot('    -------', states);
      const source = m.hot('  ab-----');
      m.expect(source.pipe(whileOpen(open)), '^---!').toBeObservable('-------');
      m.expect(source).toHaveSubscriptions([]);
      m.expect(open).toHaveSubscriptions('^---!');
    }),
  );

  it(
    'passes errors of the source and of the gate',
    marbles((m) => {
      const open = m.hot('    t-----', states);
      const source = m.hot('  -a-#');
      m.expect(source.pipe(whileOpen(open))).toBeObservable('-a-#');
      m.expect(open).toHaveSubscriptions('^--!');
      const bad = m.hot('     t--#', states);
      const endless = m.hot(' -a---');
      m.expect(endless.pipe(whileOpen(bad))).toBeObservable('-a-#');
      m.expect(endless).toHaveSubscriptions('^--!');
    }),
  );

  it('completes with an empty source', () => {
    let completed = false;
    EMPTY.pipe(whileOpen(of(true))).subscribe({ complete: () => (completed = true) });
    expect(completed).toBe(true);
  });

  it('can be shut by what it emits, in the midst of a synchronous burst', () => {
    const open$ = new BehaviorSubject(true);
    const seen: number[] = [];
    concat(of(1, 2), of(3))
      .pipe(
        whileOpen(open$),
        tap((value) => {
          if (value === 2) open$.next(false);
        }),
      )
      .subscribe((value) => seen.push(value));
    expect(seen).toStrictEqual([1, 2]);
    open$.next(true);
    expect(seen).toStrictEqual([1, 2, 1, 2]);
  });
});
