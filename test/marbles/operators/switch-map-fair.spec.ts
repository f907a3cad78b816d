import { marbles } from 'rxjs-marbles';
import { EMPTY, of, range, switchMap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { switchMapFair } from '../../../src/operators/switch-map-fair.ts';

describe('switchMapFair', () => {
  it(
    'cancels the running attempt for a newer value, as switchMap does',
    marbles((m) => {
      const a = m.cold('        ----r|');
      const b = m.cold('          ----s|');
      const source = m.hot('  --a-b---------|');
      const expected = '      --------s-----|';
      m.expect(source.pipe(switchMapFair((v) => (v === 'a' ? a : b), { maxStale: 100 }))).toBeObservable(
        expected,
      );
      m.expect(a).toHaveSubscriptions('     --^-!');
      m.expect(b).toHaveSubscriptions('     ----^----!');
      m.expect(source).toHaveSubscriptions('^-------------!');
    }),
  );

  it(
    'lets an attempt finish once changes have come faster than the work for maxStale, where switchMap starves',
    marbles((m) => {
      const work = () => m.cold('----r|');
      const source = m.hot('  aaaaaaaaaaaaaaaaaaaaa---------|');
      const subs = '          ^-----------------!';
      const fair$ = source.pipe(switchMapFair(work, { maxStale: 10 }));
      m.expect(fair$, subs).toBeObservable('                          -------------r----');
      m.expect(source.pipe(switchMap(work)), subs).toBeObservable('      ------------------');
    }),
  );

  it(
    'projects the newest value that waited for an attempt which had to finish',
    marbles((m) => {
      const seen: string[] = [];
      const source = m.hot<string>('  abcdefg-----------|');
      const inner = m.cold('  ---r|');
      const expected = '      ------r---r-------|';
      const out$ = source.pipe(
        switchMapFair(
          (v) => {
            seen.push(v);
            return inner;
          },
          { maxStale: 4 },
        ),
      );
      m.expect(out$).toBeObservable(expected);
      m.expect(inner).toHaveSubscriptions(['^!', '-^!', '--^!', '---^---!', '-------^---!']);
      m.flush();
      expect(seen).toEqual(['a', 'b', 'c', 'd', 'g']);
    }),
  );

  it(
    'starts a new stale period after an answered value',
    marbles((m) => {
      const inner = m.cold('  --r|');
      const source = m.hot('  a-----bc-----|');
      const expected = '      --r------r---|';
      m.expect(source.pipe(switchMapFair(() => inner, { maxStale: 5 }))).toBeObservable(expected);
      m.expect(inner).toHaveSubscriptions(['^--!', '------^!', '-------^--!']);
    }),
  );

  it(
    'completes only after the running attempt',
    marbles((m) => {
      const inner = m.cold('  ---r|');
      const source = m.hot('  a|');
      m.expect(source.pipe(switchMapFair(() => inner, { maxStale: 5 }))).toBeObservable('---r|');
      m.expect(inner).toHaveSubscriptions('^---!');
    }),
  );

  it(
    'passes errors of the source and of an attempt',
    marbles((m) => {
      const never = m.cold('---');
      m.expect(m.hot('a-#').pipe(switchMapFair(() => never, { maxStale: 5 }))).toBeObservable('--#');
      m.expect(never).toHaveSubscriptions('^-!');
      const broken = m.cold('-#');
      m.expect(m.hot('a---').pipe(switchMapFair(() => broken, { maxStale: 5 }))).toBeObservable('-#');
    }),
  );

  it('turns a throwing projector into an error', () => {
    const errors: unknown[] = [];
    const boom = () => {
      throw new Error('boom');
    };
    of(1)
      .pipe(switchMapFair(boom, { maxStale: 5 }))
      .subscribe({ error: (error: unknown) => errors.push(error) });
    expect(errors).toEqual([new Error('boom')]);
  });

  it(
    'unsubscribing cancels the attempt',
    marbles((m) => {
      const inner = m.cold('  -----r|');
      const source = m.hot('  a-------');
      m.expect(source.pipe(switchMapFair(() => inner, { maxStale: 5 })), '^--!').toBeObservable('----');
      m.expect(inner).toHaveSubscriptions('^--!');
      m.expect(source).toHaveSubscriptions('^--!');
    }),
  );

  it(
    'completes for an empty source and stays silent for a silent one',
    marbles((m) => {
      m.expect(m.cold<string>('|').pipe(switchMapFair(() => EMPTY, { maxStale: 5 }))).toBeObservable('|');
      m.expect(m.cold<string>('-').pipe(switchMapFair(() => EMPTY, { maxStale: 5 })), '^---!').toBeObservable(
        '-',
      );
    }),
  );

  it('survives a synchronous firehose', () => {
    let count = 0;
    range(0, 200_000)
      .pipe(switchMapFair((n) => of(n), { maxStale: 5 }))
      .subscribe(() => count++);
    expect(count).toBe(200_000);
  });
});
