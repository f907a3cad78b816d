import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import { paced } from '../../../src/operators/paced.ts';

describe('paced', () => {
  it(
    'lets a burst through, and then one for each interval, in order',
    marbles((m) => {
      const dropped: string[] = [];
      const source = m.hot('(abcd)--------e---|');
      const expected = '    (ab)-c----d----e--|';
      const limits = { burst: 2, interval: 5, size: 9, onDrop: (value: string) => dropped.push(value) };
      m.expect(source.pipe(paced(limits))).toBeObservable(expected);
      m.expect(source).toHaveSubscriptions('^-----------------!');
      m.flush();
      expect(dropped).toEqual([]);
    }),
  );

  it(
    'drops what there is no room for, and says so; what waits comes out also after the end',
    marbles((m) => {
      const dropped: string[] = [];
      const source = m.hot('(abcde|)');
      const limits = { burst: 1, interval: 4, size: 2, onDrop: (value: string) => dropped.push(value) };
      m.expect(source.pipe(paced(limits))).toBeObservable('a---b---(c|)');
      m.flush();
      expect(dropped).toEqual(['d', 'e']);
    }),
  );

  it(
    'waits no more when it is unsubscribed, and passes errors at once',
    marbles((m) => {
      const limits = { burst: 1, interval: 4, size: 2, onDrop: () => undefined };
      const source = m.hot('(ab)----');
      m.expect(source.pipe(paced(limits)), '^-!').toBeObservable('a--');
      m.expect(source).toHaveSubscriptions('^-!');
      m.expect(m.cold('(ab#)').pipe(paced(limits))).toBeObservable('(a#)');
    }),
  );
});
