import { ignoreElements, map, type Observable, tap } from 'rxjs';
import { marbles } from 'rxjs-marbles';
import { describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';
import type { Collection, Delta } from '../../../src/collections/types.ts';

/**
 * Work comes in on a stream: `a`, `b` and `c` write a number to the key `n`, `d` deletes it, `s` is a slice of one entry,
 * `T` runs a turn to its end.
 */
type Work = number | 'delete' | 'slice' | 'turn';

function world() {
  const graph = createGraph();
  const numbers = graph.source<number>('numbers');
  const tens = graph.mapEntries('tens', numbers, (n) => Math.floor(n / 10));
  const sums = graph.mapEntries('sums', numbers, (n, key, reader) => n + (reader.read(tens, key) ?? 0), {
    reads: [tens],
  });
  const perform = (work: Work) => {
    if (work === 'turn') graph.advance();
    else if (work === 'slice') graph.advance(() => true);
    else if (work === 'delete') numbers.delete('n');
    else numbers.set('n', work);
  };
  return { graph, numbers, tens, sums, perform };
}

const values = { a: 1, b: 2, c: 30, d: 'delete', s: 'slice', T: 'turn' } as const;

/** Deltas of the key `n` as `before>after`. */
const short = (deltas: readonly Delta<unknown>[]) =>
  deltas.map(({ before, after }) => `${String(before)}>${String(after)}`).join(' ');

/** Runs the work as a side effect of the returned stream, which is silent. */
const driving = (work$: Observable<Work>, perform: (work: Work) => void) =>
  work$.pipe(tap(perform), ignoreElements());

describe('deltas$', () => {
  it(
    'emits once per finished turn that changed something, at its end',
    marbles((m) => {
      const { tens, sums, perform } = world();
      const work$ = m.hot<Work>('  -a-b-T--T--c-T--d-T-|', values);
      const expectedSums = '       -----s-------t----u--';
      const expectedTens = '       -----x-------y----z--';
      m.expect(sums.deltas$.pipe(map(short)), '^--------------------!').toBeObservable(expectedSums, {
        s: 'undefined>2',
        t: '2>33',
        u: '33>undefined',
      });
      m.expect(tens.deltas$.pipe(map(short)), '^--------------------!').toBeObservable(expectedTens, {
        x: 'undefined>0',
        y: '0>3',
        z: '3>undefined',
      });
      m.expect(driving(work$, perform)).toBeObservable('--------------------|');
      m.expect(work$).toHaveSubscriptions(['^-------------------!']);
    }),
  );

  it(
    'shows nothing of slices, and takes in what comes between them',
    marbles((m) => {
      const { sums, perform } = world();
      //                         first slice: tens; then a new value; two more slices finish the turn
      const work$ = m.hot<Work>('-a-s--c-s-s-T-T|', values);
      const expected = '         ------------d---';
      m.expect(sums.deltas$.pipe(map(short)), '^---------------!').toBeObservable(expected, {
        d: 'undefined>33',
      });
      m.expect(driving(work$, perform)).toBeObservable('---------------|');
      m.expect(work$).toHaveSubscriptions(['^--------------!']);
    }),
  );

  it(
    'is silent on an early cutoff and on a value that came back',
    marbles((m) => {
      const { tens, perform } = world();
      const work$ = m.hot<Work>('-a-T-b-T-c-a-T-a-T|', values);
      const expected = '         ---x---------------';
      m.expect(tens.deltas$.pipe(map(short)), '^------------------!').toBeObservable(expected, {
        x: 'undefined>0',
      });
      m.expect(driving(work$, perform)).toBeObservable('------------------|');
      m.expect(work$).toHaveSubscriptions(['^-----------------!']);
    }),
  );

  it(
    'tells a late subscriber what changes from then on, also in the middle of a turn',
    marbles((m) => {
      const { sums, perform } = world();
      const work$ = m.hot<Work>('-a-T-b-s----T-|', values);
      //                         subscribes after the slice
      const subscription = '     ---------^----!';
      const expected = '         ------------d--';
      m.expect(sums.deltas$.pipe(map(short)), subscription).toBeObservable(expected, { d: '1>2' });
      m.expect(driving(work$, perform)).toBeObservable('--------------|');
      m.expect(work$).toHaveSubscriptions(['^-------------!']);
    }),
  );

  it(
    'ends with its subscription, serves several alike, and never completes',
    marbles((m) => {
      const { sums, perform } = world();
      const work$ = m.hot<Work>('-a-T-b-T-c-T-|', values);
      const short$ = sums.deltas$.pipe(map(short));
      m.expect(short$, '         ^-----!-------').toBeObservable('---x----------', { x: 'undefined>1' });
      m.expect(short$, '         ^-------------!').toBeObservable('---x---y---z--', {
        x: 'undefined>1',
        y: '1>2',
        z: '2>33',
      });
      m.expect(driving(work$, perform)).toBeObservable('-------------|');
      m.expect(work$).toHaveSubscriptions(['^------------!']);
    }),
  );

  it(
    'goes out in the order of the collections, problems last, all of one turn',
    marbles((m) => {
      const { graph, numbers, tens, sums, perform } = world();
      const order: string[] = [];
      graph.mapEntries('complaints', sums, (n, _key, reader) => {
        reader.report({
          severity: 'warning',
          reason: 'Any',
          field: '',
          message: `${n}`,
          owner: { kind: 'Number', namespace: '', name: 'n' },
        });
        return n;
      });
      // Subscribed in another order than that of the collections.
      const shuffled: readonly Collection<unknown>[] = [graph.problems, sums, numbers, tens];
      for (const collection of shuffled)
        collection.deltas$.subscribe(() => order.push(`${collection.name} ${graph.revision}`));
      const work$ = m.hot<Work>('-a-T-c-T|', values);
      m.expect(driving(work$, perform)).toBeObservable('--------|');
      m.expect(work$).toHaveSubscriptions(['^-------!']);
      m.flush();
      expect(order).toEqual(
        [1, 2].flatMap((turn) => ['numbers', 'tens', 'sums', 'problems'].map((name) => `${name} ${turn}`)),
      );
    }),
  );

  it(
    'does no work for a collection that nobody follows any more',
    marbles((m) => {
      let compared = 0;
      const graph = createGraph();
      const source = graph.source<number>('source');
      const derived = graph.mapEntries('derived', source, (n) => ({ n }), {
        equal: (a, b) => {
          compared++;
          return a.n === b.n;
        },
      });
      const turn = (n: number) => {
        source.set('n', n);
        graph.advance();
      };
      const work$ = m.hot<number>('-1-2-3-4|', { 1: 1, 2: 2, 3: 3, 4: 4 });
      //                           followed until after the second turn
      m.expect(derived.deltas$.pipe(map(short)), '^---!').toBeObservable('-x-y-', {
        x: 'undefined>[object Object]',
        y: '[object Object]>[object Object]',
      });
      m.expect(work$.pipe(tap(turn), ignoreElements())).toBeObservable('--------|');
      m.expect(work$).toHaveSubscriptions(['^-------!']);
      m.flush();
      // One comparison per changed entry to cut off early, and one more for the delta that was followed.
      expect(compared).toBe(3 + 1);
    }),
  );
});
