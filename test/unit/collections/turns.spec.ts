import { describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';
import type { Reader } from '../../../src/collections/types.ts';
import { yieldAfter } from './random-graph.ts';

/** Numbers, their squares, and the sum of a square and the number itself: a diamond. */
function diamond() {
  const graph = createGraph();
  const runs: string[] = [];
  const numbers = graph.source<number>('numbers');
  const squares = graph.mapEntries('squares', numbers, (n, key) => {
    runs.push(`square ${key}`);
    return n * n;
  });
  const sums = graph.mapEntries(
    'sums',
    numbers,
    (n, key, reader) => {
      runs.push(`sum ${key}`);
      return n + (reader.read(squares, key) ?? Number.NaN);
    },
    { reads: [squares] },
  );
  return { graph, numbers, squares, sums, runs };
}

describe('a turn', () => {
  it('takes in all changes since the last one, and shows nothing before it is finished', () => {
    const { graph, numbers, sums } = diamond();
    numbers.set('a', 2);
    numbers.set('b', 3);
    expect(graph.dirty).toBe(true);
    expect([numbers.size, numbers.keys(), numbers.peek('a')]).toEqual([0, [], undefined]);
    expect(graph.advance()).toBe('finished');
    expect(graph.dirty).toBe(false);
    expect(sums.keys().map((key) => sums.peek(key))).toEqual([6, 12]);
    expect(sums.size).toBe(2);
  });

  it('counts as a revision, and nothing to do is no turn', () => {
    const { graph, numbers } = diamond();
    expect([graph.advance(), graph.revision, graph.dirty]).toEqual(['finished', 0, false]);
    numbers.set('a', 1);
    graph.advance();
    graph.advance();
    expect(graph.revision).toBe(1);
  });

  it('computes each entry once, after everything it reads', () => {
    const { graph, numbers, runs, sums } = diamond();
    numbers.set('a', 2);
    graph.advance();
    runs.length = 0;
    numbers.set('a', 5);
    graph.advance();
    expect(runs).toEqual(['square a', 'sum a']);
    expect(sums.peek('a')).toBe(30);
  });

  it('yields between entries when asked and goes on where it was', () => {
    const { graph, numbers, runs } = diamond();
    for (const key of ['a', 'b', 'c']) numbers.set(key, 1);
    let slices = 1;
    while (graph.advance(() => true) === 'yielded') slices++;
    expect(slices).toBe(7);
    expect(runs.length).toBe(6);
  });

  it('shows the last finished turn while the next one is half done', () => {
    const { graph, numbers, squares, sums } = diamond();
    numbers.set('a', 2);
    numbers.set('gone', 1);
    graph.advance();
    numbers.set('a', 3);
    numbers.set('new', 4);
    numbers.delete('gone');
    expect(graph.advance(yieldAfter(4))).toBe('yielded');
    expect([squares.peek('a'), sums.peek('a'), numbers.peek('a')]).toEqual([4, 6, 2]);
    expect([squares.keys(), squares.size, sums.size]).toEqual([['a', 'gone'], 2, 2]);
    expect(graph.revision).toBe(1);
    graph.advance();
    expect([squares.peek('a'), sums.peek('a'), numbers.peek('a')]).toEqual([9, 12, 3]);
    expect(squares.keys()).toEqual(['a', 'new']);
  });

  it('takes in what changes between two slices, and does not repeat what that does not touch', () => {
    const { graph, numbers, runs, sums } = diamond();
    for (const key of ['a', 'b', 'c']) numbers.set(key, 1);
    graph.advance(yieldAfter(5));
    expect(runs).toEqual(['square a', 'square b', 'square c', 'sum a', 'sum b']);
    numbers.set('a', 10);
    expect(graph.advance()).toBe('finished');
    expect(runs.slice(5).sort()).toEqual(['square a', 'sum a', 'sum c']);
    expect(sums.peek('a')).toBe(110);
    expect(graph.revision).toBe(1);
  });

  it('forgets an entry that came and went before it was finished', () => {
    const { graph, numbers, squares } = diamond();
    const seen: unknown[] = [];
    squares.deltas$.subscribe((deltas) => seen.push(deltas));
    numbers.set('a', 1);
    graph.advance(yieldAfter(1));
    numbers.delete('a');
    graph.advance();
    expect([seen, squares.size, squares.keys()]).toEqual([[], 0, []]);
    expect(graph.stats()).toEqual(diamond().graph.stats());
  });

  it('keeps the former value of an entry whose new one is equal, and stops there', () => {
    const graph = createGraph();
    const objects = graph.source<{ readonly host: string; readonly noise: number }>('objects');
    let below = 0;
    const hosts = graph.mapEntries('hosts', objects, ({ host }) => ({ host }));
    graph.mapEntries('below', hosts, () => ++below);
    objects.set('a', { host: 'x', noise: 1 });
    graph.advance();
    const first = hosts.peek('a');
    objects.set('a', { host: 'x', noise: 2 });
    graph.advance();
    expect(hosts.peek('a')).toBe(first);
    expect(below).toBe(1);
  });

  it('takes an equality given for a collection, also for a source', () => {
    const graph = createGraph();
    const versions = graph.source<{ readonly version: number; readonly body: string }>('versions', {
      equal: (a, b) => a.version === b.version,
    });
    const lengths = graph.mapEntries('lengths', versions, ({ body }) => body, {
      equal: (a, b) => a.length === b.length,
    });
    versions.set('a', { version: 1, body: 'one' });
    graph.advance();
    versions.set('a', { version: 1, body: 'ignored' });
    expect(graph.dirty).toBe(false);
    versions.set('a', { version: 2, body: 'two' });
    graph.advance();
    expect(lengths.peek('a')).toBe('one');
    versions.set('a', { version: 3, body: 'three' });
    graph.advance();
    expect(lengths.peek('a')).toBe('three');
  });

  it('replaces a whole source in one turn', () => {
    const { graph, numbers, squares } = diamond();
    numbers.replace([
      ['a', 1],
      ['b', 2],
    ]);
    graph.advance();
    const seen: unknown[] = [];
    squares.deltas$.subscribe((deltas) => seen.push(deltas));
    numbers.replace([
      ['b', 2],
      ['c', 3],
    ]);
    graph.advance();
    expect(seen).toEqual([
      [
        { key: 'a', before: 1 },
        { key: 'c', after: 9 },
      ],
    ]);
  });

  it('computes collections that were made after the data came, also in the middle of a turn', () => {
    const { graph, numbers, squares } = diamond();
    numbers.set('a', 2);
    graph.advance();
    const late = graph.mapEntries('late', squares, (n) => -n);
    expect(graph.dirty).toBe(true);
    graph.advance();
    expect(late.peek('a')).toBe(-4);
    numbers.set('b', 3);
    graph.advance(yieldAfter(1));
    const later = graph.groupEntriesBy('later', squares, () => 'all');
    graph.advance();
    expect(later.peek('all')).toEqual([4, 9]);
  });

  it('can be started by a subscriber: whoever comes after still sees the turns in order', () => {
    const { graph, numbers, squares } = diamond();
    const seen: string[] = [];
    squares.deltas$.subscribe((deltas) => {
      seen.push(`first ${deltas[0]?.after}`);
      if (numbers.peek('a') !== 1) return;
      numbers.set('a', 2);
      expect(squares.peek('a')).toBe(1);
      graph.advance();
    });
    squares.deltas$.subscribe((deltas) => seen.push(`second ${deltas[0]?.after}`));
    numbers.set('a', 1);
    graph.advance();
    expect(seen).toEqual(['first 1', 'second 1', 'first 4', 'second 4']);
    expect(graph.revision).toBe(2);
  });

  it('is not touched by a source that is written while its deltas go out', () => {
    const { graph, numbers, squares, sums } = diamond();
    const seen: unknown[] = [];
    squares.deltas$.subscribe(() => numbers.set('a', 100));
    sums.deltas$.subscribe((deltas) => seen.push(deltas, sums.peek('a')));
    numbers.set('a', 1);
    graph.advance();
    expect(seen).toEqual([[{ key: 'a', after: 2 }], 2]);
    expect(graph.dirty).toBe(true);
    graph.advance();
    expect(sums.peek('a')).toBe(10_100);
  });

  it('asks whether to yield also while it sorts the deltas of a large turn', () => {
    const graph = createGraph();
    const source = graph.source<number>('source');
    let seen = 0;
    source.deltas$.subscribe((deltas) => (seen = deltas.length));
    source.set('a', 1);
    expect(graph.advance(() => true)).toBe('yielded');
    source.set('b', 2);
    expect(graph.advance(() => true)).toBe('yielded');
    expect(seen).toBe(0);
    expect(graph.advance(() => true)).toBe('finished');
    expect(seen).toBe(2);
  });

  it('loses nothing to an equality that throws', () => {
    const graph = createGraph();
    let broken = true;
    const source = graph.source<number>('source');
    const derived = graph.mapEntries('derived', source, (n) => ({ n }), {
      equal: (a, b) => {
        if (broken) throw new Error('broken');
        return a.n === b.n;
      },
    });
    source.set('a', 1);
    graph.advance();
    source.set('a', 2);
    source.set('b', 2);
    expect(() => graph.advance()).toThrow('broken');
    broken = false;
    expect(graph.advance()).toBe('finished');
    expect([derived.peek('a'), derived.peek('b')]).toEqual([{ n: 2 }, { n: 2 }]);
  });
});

describe('what a projector may not do', () => {
  const attempt = (misdeed: (parts: ReturnType<typeof diamond>, reader: Reader) => unknown) => {
    const parts = diamond();
    parts.graph.mapEntries('misdeeds', parts.numbers, (_value, _key, reader) =>
      String(misdeed(parts, reader)),
    );
    parts.numbers.set('a', 1);
    parts.graph.advance();
    return parts.graph.problems.keys().map((key) => parts.graph.problems.peek(key)?.message);
  };

  it.each([
    ['peek', ({ squares }) => squares.peek('a'), '"squares" is looked at'],
    ['list keys', ({ squares }) => squares.keys(), '"squares" is looked at'],
    ['ask for a size', ({ numbers }) => numbers.size, '"numbers" is looked at'],
    ['write a source', ({ numbers }) => numbers.set('b', 1), '"numbers" is written'],
    ['advance', ({ graph }) => graph.advance(), 'the graph is advanced'],
    ['fork', ({ graph }) => graph.fork([]), 'the graph is forked'],
    ['release', ({ graph }) => graph.release(0), 'collections are released'],
    ['make a collection', ({ graph }) => graph.source('more'), '"more" is made'],
  ] as [string, (parts: ReturnType<typeof diamond>) => unknown, string][])(
    '%s',
    (_what, misdeed, message) => {
      expect(attempt(misdeed)).toEqual([`${message} inside the projector of "misdeeds": use its reader`]);
    },
  );

  it('read what it has not declared', () => {
    expect(attempt(({ squares }, reader) => reader.read(squares, 'a'))).toEqual([
      '"misdeeds" reads "squares", which is not among its declared reads',
    ]);
  });

  it('keep its reader for later', () => {
    let kept: Reader | undefined;
    const parts = diamond();
    attempt((_, reader) => {
      kept = reader;
    });
    expect(() => kept?.read(parts.squares, 'a')).toThrow('valid only while its projector runs');
    expect(() => kept?.readKeys(parts.squares)).toThrow('valid only while its projector runs');
    expect(() =>
      kept?.report({
        severity: 'error',
        reason: 'X',
        field: '',
        message: '',
        owner: { kind: '', namespace: '', name: '' },
      }),
    ).toThrow('valid only while its projector runs');
  });
});

describe('making collections', () => {
  it('refuses a name that is taken', () => {
    const { graph } = diamond();
    expect(() => graph.source('squares')).toThrow('there is already a collection "squares"');
  });

  it('refuses collections of another graph', () => {
    const { graph } = diamond();
    const other = diamond();
    expect(() => graph.mapEntries('m', other.squares, (n) => n)).toThrow(
      '"squares" is not a collection of this graph, or was released',
    );
    expect(() =>
      graph.mapEntries('m', graph.source<number>('own'), (n) => n, { reads: [other.squares] }),
    ).toThrow('"squares" is not a collection of this graph');
  });

  it('refuses to derive from problems, which change with every node', () => {
    const { graph, numbers } = diamond();
    expect(() => graph.mapEntries('m', graph.problems, (n) => n)).toThrow(
      '"m" cannot be derived from problems',
    );
    expect(() => graph.mapEntries('m', numbers, (n) => n, { reads: [graph.problems] })).toThrow(
      '"m" cannot be derived from problems',
    );
  });
});
