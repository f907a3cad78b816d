import { marbles } from 'rxjs-marbles';
import { EMPTY, type Observable, of, range, takeUntil, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { exhaustMapLatest } from '../../../src/operators/exhaust-map-latest.ts';

describe('exhaustMapLatest', () => {
  it(
    'runs one inner at a time and projects the newest value kept while busy',
    marbles((m) => {
      const a = m.cold<string>('--r|');
      const d = m.cold<string>('   --s|');
      const source = m.hot<string>('  --abcd----------|');
      const expected = '      ----r--s--------|';
      const inners: Record<string, Observable<string>> = { a, b: EMPTY, c: EMPTY, d };
      m.expect(source.pipe(exhaustMapLatest((v) => inners[v] ?? EMPTY))).toBeObservable(expected);
      m.expect(source).toHaveSubscriptions('^---------------!');
      m.expect(a).toHaveSubscriptions('     --^--!');
      m.expect(d).toHaveSubscriptions('     -----^--!');
    }),
  );

  it(
    'keeps a value that arrives during the trailing run',
    marbles((m) => {
      const inner = m.cold('    ---r|');
      const source = m.hot('  a-b--c-------------|');
      const expected = '      ---r---r---r-------|';
      m.expect(source.pipe(exhaustMapLatest(() => inner))).toBeObservable(expected);
      m.expect(inner).toHaveSubscriptions(['^---!', '----^---!', '--------^---!']);
      m.expect(source).toHaveSubscriptions('^------------------!');
    }),
  );

  it(
    'projects the last of a synchronous burst, not only the first',
    marbles((m) => {
      const source = m.hot<string>('  (abc)-----|');
      const inner = m.cold('  -r|');
      const seen: string[] = [];
      const expected = '      -r-r------|';
      m.expect(
        source.pipe(
          exhaustMapLatest((v) => {
            seen.push(v);
            return inner;
          }),
        ),
      ).toBeObservable(expected);
      m.expect(inner).toHaveSubscriptions(['^-!', '--^-!']);
      m.flush();
      expect(seen).toEqual(['a', 'c']);
    }),
  );

  it(
    'completes only after the running inner and the kept value are done',
    marbles((m) => {
      const inner = m.cold('  --r|');
      const source = m.hot('  ab|');
      const expected = '      --r--r|';
      m.expect(source.pipe(exhaustMapLatest(() => inner))).toBeObservable(expected);
      m.expect(source).toHaveSubscriptions('^-!');
      m.expect(inner).toHaveSubscriptions(['^--!', '---^--!']);
    }),
  );

  it(
    'passes errors of the source and of an inner, and cancels what runs',
    marbles((m) => {
      const never = m.cold('-----');
      const failing = m.hot(' a-#');
      m.expect(failing.pipe(exhaustMapLatest(() => never))).toBeObservable('--#');
      m.expect(never).toHaveSubscriptions('^-!');
      const broken = m.cold('-#');
      const source = m.hot(' a----');
      m.expect(source.pipe(exhaustMapLatest(() => broken))).toBeObservable('-#');
      m.expect(source).toHaveSubscriptions('^!');
    }),
  );

  it('turns a throwing projector into an error', () => {
    const errors: unknown[] = [];
    of(1)
      .pipe(
        exhaustMapLatest(() => {
          throw new Error('boom');
        }),
      )
      .subscribe({ error: (error: unknown) => errors.push(error) });
    expect(errors).toEqual([new Error('boom')]);
  });

  it(
    'unsubscribing cancels the running inner and starts nothing more',
    marbles((m) => {
      const inner = m.cold('    ------r|');
      const source = m.hot('  ab-------');
      m.expect(source.pipe(exhaustMapLatest(() => inner)), '^--!').toBeObservable('----');
      m.expect(inner).toHaveSubscriptions('^--!');
      m.expect(source).toHaveSubscriptions('^--!');
    }),
  );

  it('drains a synchronous firehose with synchronous inners without growing the stack', () => {
    let last = -1;
    range(0, 200_000)
      .pipe(exhaustMapLatest((n) => of(n)))
      .subscribe((n) => (last = n));
    expect(last).toBe(199_999);
  });

  it(
    'tells a waiting inner that something newer is there',
    marbles((m) => {
      const waiting = m.cold('   ---------x|');
      const last = m.cold('      -r|');
      const source = m.hot('  a--b-------|');
      const expected = '      ----r------|';
      const out$ = source.pipe(
        exhaustMapLatest((v, newer$) => (v === 'a' ? waiting.pipe(takeUntil(newer$)) : last)),
      );
      m.expect(out$).toBeObservable(expected);
      m.expect(waiting).toHaveSubscriptions('^--!');
      m.expect(last).toHaveSubscriptions('---^-!');
    }),
  );

  it(
    'completes for an empty source and stays silent for a silent one',
    marbles((m) => {
      m.expect(m.cold<string>('|').pipe(exhaustMapLatest(() => throwError(() => 'unused')))).toBeObservable(
        '|',
      );
      m.expect(m.cold<string>('-').pipe(exhaustMapLatest(() => EMPTY)), '^---!').toBeObservable('-');
    }),
  );
});
