import { marbles } from 'rxjs-marbles';
import { map, merge, type Observable, ignoreElements, tap, defer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';
import { createOnDemandCache, type Arrival } from '../../../src/collections/on-demand-cache.ts';
import type { RenderOutcome } from '../../../src/protocol/render-outcome.ts';
import { awaitReads, firstReads } from '../../../src/render/await-reads.ts';

const rejected: RenderOutcome = { kind: 'rejected', message: 'no', problems: [] };
/** Renders are told apart by the time that they took. */
const rendered = (tookMs: number) => ({ kind: 'rendered', bundle: {}, tookMs }) as unknown as RenderOutcome;
const shown: Readonly<Record<string, number | 'rejected'>> = { 1: 1, 2: 2, 3: 3, x: 'rejected' };

const show = (outcome$: Observable<RenderOutcome>) =>
  outcome$.pipe(map((outcome) => (outcome.kind === 'rendered' ? outcome.tookMs : outcome.kind)));

function setUp(idle: number, total = 10_000) {
  const cache = createOnDemandCache<{ readonly version: string }>(createGraph().source<Arrival>('arrivals'), {
    max: 8,
    ttl: 0,
    now: () => 1,
    versionOf: ({ version }) => version,
  });
  let turns = 0;
  /** A turn that takes no time and asks for what is given; the n-th one is called n. */
  const turn = (...wanted: readonly (readonly string[])[]) =>
    defer(() => {
      for (const key of wanted[turns] ?? []) cache.want(key, '1');
      turns++;
      return [rendered(turns)];
    });
  const want = (key: string) => ({ key, version: '1', failures: 0 });
  return {
    cache,
    turn,
    first: firstReads([cache], { idle, total }),
    effects: (event$: Observable<string>) =>
      event$.pipe(
        tap((key) =>
          key === 'f' ? cache.failed(want('a'), 'no') : cache.arrived(want(key), { version: '1' }),
        ),
        ignoreElements(),
      ),
  };
}

describe('awaitReads', () => {
  it(
    'passes a first render that reads nothing, and every later one',
    marbles((m) => {
      const { turn, first } = setUp(10);
      m.expect(show(awaitReads(turn(), first))).toBeObservable('(1|)', shown);
      m.expect(show(awaitReads(turn([], ['a']), first))).toBeObservable('(2|)', shown);
    }),
  );

  it(
    'renders again when everything that was wanted is there, until nothing new is wanted',
    marbles((m) => {
      const { turn, first, effects } = setUp(20);
      const arrivals = m.hot('--a-b----c---');
      const out$ = awaitReads(turn(['a', 'b'], ['c']), first);
      m.expect(merge(effects(arrivals), show(out$)), '^------------!').toBeObservable('---------3---', shown);
      m.expect(arrivals).toHaveSubscriptions('^------------!');
    }),
  );

  it(
    'goes out when nothing comes any more, with what is there, and says of the rest that it did not come',
    marbles((m) => {
      const { turn, first, effects, cache } = setUp(106);
      const arrivals = m.hot('--a-------');
      const out$ = awaitReads(turn(['a', 'b']), first);
      m.expect(merge(effects(arrivals), show(out$)), '^ 299ms !').toBeObservable('206ms 4', { 4: 4 });
      m.flush();
      expect(cache.waiting).toBe(0);
      expect(cache.attempts).toBe(2);
    }),
  );

  it(
    'goes out at the latest after a time in all, however much comes',
    marbles((m) => {
      const { turn, first, effects } = setUp(150, 250);
      const arrivals = m.hot('50ms a 99ms b 99ms c');
      const out$ = awaitReads(turn(['a', 'b', 'c', 'd']), first);
      m.expect(merge(effects(arrivals), show(out$)), '^ 299ms !').toBeObservable('250ms 4', { 4: 4 });
    }),
  );

  it(
    'counts what cannot be read as known',
    marbles((m) => {
      const { turn, first, effects } = setUp(20);
      const arrivals = m.hot('---f------');
      const out$ = awaitReads(turn(['a']), first);
      m.expect(merge(effects(arrivals), show(out$)), '^---------!').toBeObservable('---2------', shown);
    }),
  );

  it(
    'has one limit for all attempts, also where a newer change supersedes a render',
    marbles((m) => {
      const { turn, first } = setUp(6);
      const turns$ = turn(['a']);
      m.expect(show(awaitReads(turns$, first)), '   ^---!').toBeObservable('-----', shown);
      m.expect(show(awaitReads(turns$, first)), '   -----^----!').toBeObservable('------(3|)', shown);
    }),
  );

  it(
    'takes in what has come meanwhile, so that it need not be kept',
    marbles((m) => {
      const { turn, first, effects } = setUp(1_000);
      const arrivals = m.hot('--a 300ms b---');
      let turns = 0;
      const turn$ = turn(['a', 'b']).pipe(tap(() => turns++));
      m.expect(merge(effects(arrivals), show(awaitReads(turn$, first))), '^ 400ms !').toBeObservable(
        '303ms 5',
        { 5: 5 },
      );
      m.flush();
      expect(turns).toBe(5);
    }),
  );

  it(
    'looks again at once when something came while the turn went on',
    marbles((m) => {
      const { turn, first, effects } = setUp(20);
      const arrivals = m.hot('-a--------');
      const slow$ = turn(['a']).pipe(map((outcome) => outcome));
      const turns = [m.cold('---x'), m.cold('--y')];
      let count = 0;
      const turn$ = defer(() => {
        const index = count++;
        return merge(slow$.pipe(ignoreElements()), turns[index]!).pipe(map(() => rendered(index + 1)));
      });
      m.expect(merge(effects(arrivals), show(awaitReads(turn$, first))), '^---------!').toBeObservable(
        '-----2----',
        shown,
      );
      m.expect(turns[0]!).toHaveSubscriptions('^---------!');
    }),
  );

  it(
    'passes a rejected render at once, and waits with the next one',
    marbles((m) => {
      const { turn, first, cache } = setUp(20);
      cache.want('a', '1');
      m.expect(show(awaitReads(m.cold('-(x|)', { x: rejected }), first))).toBeObservable('-(x|)', shown);
      m.expect(show(awaitReads(turn(), first)), '^---------!').toBeObservable('----------', shown);
    }),
  );

  it(
    'waits for nothing where no resource is stored on demand',
    marbles((m) => {
      const { turn } = setUp(20);
      const first = firstReads([], { idle: 20, total: 20 });
      m.expect(show(awaitReads(turn(['a']), first))).toBeObservable('(1|)', shown);
    }),
  );
});
