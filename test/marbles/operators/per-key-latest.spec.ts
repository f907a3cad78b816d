import { marbles } from 'rxjs-marbles';
import { type Observable, concat, of, takeUntil } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { perKeyLatest } from '../../../src/operators/per-key-latest.ts';

interface Delivery {
  readonly key: string;
  readonly value: number;
}
const wish = (key: string, value: number): Delivery => ({ key, value });
const keyOf = (delivery: Delivery) => delivery.key;
const same = (a: Delivery, b: Delivery) => a.value === b.value;

describe('perKeyLatest', () => {
  it(
    'runs keys side by side and one inner at a time per key, newest value next',
    marbles((m) => {
      const p = m.cold('      ---r|');
      const q = m.cold('      -s|');
      const values = {
        a: [wish('p', 1), wish('q', 1)],
        b: [wish('p', 2), wish('q', 2)],
        c: [wish('p', 3), wish('q', 3)],
      };
      const source = m.hot('  a--bc------------|', values);
      const expected = '      -s-rs-sr---------|';
      const out$ = source.pipe(
        perKeyLatest({ keyOf, same, concurrent: 4, project: (d) => (d.key === 'p' ? p : q) }),
      );
      m.expect(out$).toBeObservable(expected);
      m.expect(p).toHaveSubscriptions(['^---!', '----^---!']);
      m.expect(q).toHaveSubscriptions(['^-!', '---^-!', '-----^-!']);
      m.expect(source).toHaveSubscriptions('^----------------!');
    }),
  );

  it(
    'cancels the inner of a key that is gone and leaves nothing of it',
    marbles((m) => {
      const p = m.cold('      -----r|');
      const q = m.cold('      -----s|');
      const values = { a: [wish('p', 1), wish('q', 1)], b: [wish('q', 1)], c: [wish('p', 1), wish('q', 1)] };
      const source = m.hot('  a-b-------c--------|', values);
      const expected = '      -----s---------r---|';
      m.expect(
        source.pipe(perKeyLatest({ keyOf, same, concurrent: 4, project: (d) => (d.key === 'p' ? p : q) })),
      ).toBeObservable(expected);
      m.expect(p).toHaveSubscriptions(['^-!', '----------^-----!']);
      m.expect(q).toHaveSubscriptions(['^-----!']);
    }),
  );

  it(
    'tells an inner that begins to wait late of the value that came before',
    marbles((m) => {
      const work = m.cold('   ---r|');
      const pause = m.cold('      ---------|');
      const source = m.hot('  a-b---------', { a: [wish('p', 1)], b: [wish('p', 2)] });
      const unsub = '         ^----------!';
      const expected = '      ---r---r----';
      const project = (_: Delivery, newer$: Observable<void>) => concat(work, pause.pipe(takeUntil(newer$)));
      m.expect(source.pipe(perKeyLatest({ keyOf, same, concurrent: 4, project })), unsub).toBeObservable(
        expected,
      );
      m.expect(work).toHaveSubscriptions(['^---!', '----^---!']);
      m.expect(pause).toHaveSubscriptions(['--------^--!']);
    }),
  );

  it(
    'lets an inner wait on when the newer value was taken back',
    marbles((m) => {
      const work = m.cold('   ---r|');
      const pause = m.cold('      ---|');
      const a = [wish('p', 1)];
      const source = m.hot('  abc---------', { a, b: [wish('p', 2)], c: a });
      const unsub = '         ^----------!';
      const project = (_: Delivery, newer$: Observable<void>) => concat(work, pause.pipe(takeUntil(newer$)));
      m.expect(source.pipe(perKeyLatest({ keyOf, same, concurrent: 4, project })), unsub).toBeObservable(
        '                     ---r--------',
      );
      m.expect(pause).toHaveSubscriptions(['----^--!']);
    }),
  );

  it(
    'starts at most `concurrent` inners, further keys wait in order',
    marbles((m) => {
      const inner = m.cold('  ----r|');
      const order: string[] = [];
      const source = m.hot('  a-------------|', { a: ['p', 'q', 's', 't'].map((key) => wish(key, 1)) });
      const expected = '      ----(rr)-(rr)-|';
      const out$ = source.pipe(
        perKeyLatest({
          keyOf,
          concurrent: 2,
          project: (d) => {
            order.push(d.key);
            return inner;
          },
        }),
      );
      m.expect(out$).toBeObservable(expected);
      m.expect(inner).toHaveSubscriptions(['^----!', '^----!', '-----^----!', '-----^----!']);
      m.flush();
      expect(order).toEqual(['p', 'q', 's', 't']);
    }),
  );

  it(
    'skips a value that asks for what runs already, and forgets an outdated wish in between',
    marbles((m) => {
      const inner = m.cold('  ----r|');
      const values = { a: [wish('p', 1)], b: [wish('p', 2)] };
      const source = m.hot('  abaa-a------|', values);
      const expected = '      ----r-------|';
      m.expect(
        source.pipe(perKeyLatest({ keyOf, same, concurrent: 1, project: () => inner })),
      ).toBeObservable(expected);
      m.expect(inner).toHaveSubscriptions(['^----!']);
    }),
  );

  it(
    'tells a waiting inner that something newer is there',
    marbles((m) => {
      const values = { a: [wish('p', 1)], b: [wish('p', 2)] };
      const source = m.hot('  a--b--------------|', values);
      const retry = m.cold('  ----------x|');
      const next = m.cold('      -d|');
      const expected = '      ----d-------------|';
      const project = (d: Delivery, newer$: Observable<void>) =>
        d.value === 2 ? next : retry.pipe(takeUntil(newer$));
      m.expect(source.pipe(perKeyLatest({ keyOf, same, concurrent: 1, project }))).toBeObservable(expected);
      m.expect(retry).toHaveSubscriptions('^--!');
      m.expect(next).toHaveSubscriptions('---^-!');
      m.expect(source).toHaveSubscriptions('^-----------------!');
    }),
  );

  it(
    'completes after the last inner; errors pass at once and cancel the others',
    marbles((m) => {
      const slow = m.cold('   ----r|');
      const broken = m.cold(' -#');
      m.expect(
        m.hot('a|', { a: [wish('p', 1)] }).pipe(perKeyLatest({ keyOf, concurrent: 1, project: () => slow })),
      ).toBeObservable('----r|');
      const other = m.cold('  -----');
      const source = m.hot('  a----', { a: [wish('p', 1), wish('q', 1)] });
      m.expect(
        source.pipe(perKeyLatest({ keyOf, concurrent: 2, project: (d) => (d.key === 'p' ? broken : other) })),
      ).toBeObservable('-#');
      m.expect(other).toHaveSubscriptions('^!');
      m.expect(
        m.hot('a#', { a: [wish('p', 1)] }).pipe(perKeyLatest({ keyOf, concurrent: 1, project: () => slow })),
      ).toBeObservable('-#');
    }),
  );

  it(
    'unsubscribing cancels every inner',
    marbles((m) => {
      const inner = m.cold('  -----r|');
      const source = m.hot('  a-------', { a: [wish('p', 1), wish('q', 1)] });
      m.expect(
        source.pipe(perKeyLatest({ keyOf, concurrent: 2, project: () => inner })),
        '^--!',
      ).toBeObservable('----');
      m.expect(inner).toHaveSubscriptions(['^--!', '^--!']);
      m.expect(source).toHaveSubscriptions('^--!');
    }),
  );

  it('turns a throwing projector into an error', () => {
    const errors: unknown[] = [];
    const boom = () => {
      throw new Error('boom');
    };
    of([wish('p', 1)])
      .pipe(perKeyLatest({ keyOf, concurrent: 1, project: boom }))
      .subscribe({ error: (error: unknown) => errors.push(error) });
    expect(errors).toEqual([new Error('boom')]);
  });

  it('runs 100,000 keys with synchronous inners one after the other without growing the stack', () => {
    const wishes = Array.from({ length: 100_000 }, (_, i) => wish(String(i), i));
    let count = 0;
    of(wishes)
      .pipe(perKeyLatest({ keyOf, concurrent: 1, project: (d) => of(d.value) }))
      .subscribe(() => count++);
    expect(count).toBe(100_000);
  });
});
