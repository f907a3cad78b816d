import { describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';
import type { Collection } from '../../../src/collections/types.ts';

const contentOf = (collection: Collection<unknown>) =>
  Object.fromEntries(collection.keys().map((key) => [key, collection.peek(key)]));

describe('mapEntries', () => {
  it('has no entry where the projector gives undefined, and keeps null', () => {
    const graph = createGraph();
    const source = graph.source<number>('source');
    const odd = graph.mapEntries('odd', source, (n) => (n === 0 ? null : n % 2 === 1 ? n : undefined));
    for (let n = 0; n < 4; n++) source.set(`k${n}`, n);
    graph.advance();
    expect(contentOf(odd)).toEqual({ k0: null, k1: 1, k3: 3 });
    source.set('k1', 2);
    source.set('k2', 5);
    graph.advance();
    expect(contentOf(odd)).toEqual({ k0: null, k2: 5, k3: 3 });
  });

  it('is at home with keys that objects find hard', () => {
    const graph = createGraph();
    const source = graph.source<number>('source');
    const same = graph.mapEntries('same', source, (n) => n);
    const keys = ['', '__proto__', 'constructor', 'ä', '\u0000', 'z'];
    keys.forEach((key, i) => source.set(key, i));
    graph.advance();
    expect(same.keys()).toEqual(keys.toSorted());
    expect(same.peek('__proto__')).toBe(1);
    expect(same.peek('toString')).toBeUndefined();
  });
});

describe('flatMapEntries', () => {
  const world = (duplicates?: 'expected') => {
    const graph = createGraph();
    const source = graph.source<readonly string[]>('source');
    const flat = graph.flatMapEntries(
      'flat',
      source,
      (outputs, key) => outputs.map((output) => [output, `of ${key}`] as const),
      {
        ownerOf: (_, key) => ({ kind: 'Source', namespace: 'ns', name: key }),
        ...(duplicates === undefined ? {} : { duplicates }),
      },
    );
    const problems = () =>
      graph.problems.keys().map((key) => {
        const problem = graph.problems.peek(key);
        return `${problem?.owner.name}: ${problem?.message}`;
      });
    return { graph, source, flat, problems };
  };

  it('makes any number of entries of one, and drops what is no longer made', () => {
    const { graph, source, flat } = world();
    source.set('a', ['x', 'y']);
    source.set('b', []);
    source.set('c', ['z']);
    graph.advance();
    expect(contentOf(flat)).toEqual({ x: 'of a', y: 'of a', z: 'of c' });
    source.set('a', ['y', 'w']);
    source.delete('c');
    graph.advance();
    expect(contentOf(flat)).toEqual({ w: 'of a', y: 'of a' });
  });

  it('takes generators', () => {
    const graph = createGraph();
    const source = graph.source<number>('source');
    const flat = graph.flatMapEntries('flat', source, function* (n, key) {
      for (let i = 0; i < n; i++) yield [`${key}${i}`, i] as const;
    });
    source.set('a', 3);
    graph.advance();
    expect(contentOf(flat)).toEqual({ a0: 0, a1: 1, a2: 2 });
  });

  it.each([[['a', 'b', 'c']], [['c', 'b', 'a']], [['b', 'c', 'a']], [['b', 'a', 'c']]])(
    'gives a key that several make to the smallest source key, arriving as %j',
    (order) => {
      const { graph, source, flat, problems } = world();
      for (const key of order) {
        source.set(key, ['x']);
        graph.advance();
      }
      expect(flat.peek('x')).toBe('of a');
      expect(problems()).toEqual([
        'b: "x" of flat is already taken by a',
        'c: "x" of flat is already taken by a',
      ]);
    },
  );

  it('hands a key on to the next when the winner goes or stops making it', () => {
    const { graph, source, flat, problems } = world();
    for (const key of ['a', 'b', 'c']) source.set(key, ['x']);
    graph.advance();
    source.set('a', ['other']);
    graph.advance();
    expect(contentOf(flat)).toEqual({ other: 'of a', x: 'of b' });
    expect(problems()).toEqual(['c: "x" of flat is already taken by b']);
    source.delete('b');
    graph.advance();
    expect([flat.peek('x'), problems()]).toEqual(['of c', []]);
    source.delete('c');
    graph.advance();
    expect(contentOf(flat)).toEqual({ other: 'of a' });
  });

  it('changes nothing when a loser goes', () => {
    const { graph, source, flat, problems } = world();
    const seen: unknown[] = [];
    for (const key of ['a', 'b', 'c']) source.set(key, ['x']);
    graph.advance();
    flat.deltas$.subscribe((deltas) => seen.push(deltas));
    source.delete('b');
    graph.advance();
    source.delete('c');
    graph.advance();
    expect([seen, problems()]).toEqual([[], []]);
    expect(graph.stats().nodes[1]?.records).toBe(3);
  });

  it('counts the first of an entry’s own duplicates and warns its owner', () => {
    const graph = createGraph();
    const source = graph.source<number>('source');
    const flat = graph.flatMapEntries('flat', source, (n) => [
      ['x', n],
      ['x', n + 1],
    ]);
    source.set('a', 1);
    graph.advance();
    expect(flat.peek('x')).toBe(1);
    expect(graph.problems.keys().map((key) => graph.problems.peek(key))).toEqual([
      {
        severity: 'warning',
        reason: 'DuplicateKey',
        field: '',
        message: 'emits "x" of flat more than once: the first one counts',
        owner: { kind: 'flat', namespace: '', name: 'a' },
      },
    ]);
  });

  it('says nothing of duplicates that are expected', () => {
    const { graph, source, flat, problems } = world('expected');
    for (const key of ['c', 'a', 'b']) source.set(key, ['x', 'x']);
    graph.advance();
    expect([flat.peek('x'), problems()]).toEqual(['of a', []]);
    source.delete('a');
    graph.advance();
    expect([flat.peek('x'), problems()]).toEqual(['of b', []]);
  });

  it('decides among thousands of claims to one key, and comes back to one', () => {
    const { graph, source, flat } = world('expected');
    const keys = Array.from({ length: 3_000 }, (_, i) => `s${String((i * 7_919) % 3_000).padStart(4, '0')}`);
    for (const key of keys) source.set(key, ['x']);
    graph.advance();
    expect(flat.peek('x')).toBe('of s0000');
    source.replace([['s2999', ['x']]]);
    graph.advance();
    expect(flat.peek('x')).toBe('of s2999');
    expect(graph.stats().nodes[1]?.records).toBe(3);
  });
});

describe('groupEntriesBy', () => {
  const world = () => {
    const graph = createGraph();
    const source = graph.source<{ readonly team?: string; readonly n: number }>('source');
    const groups = graph.groupEntriesBy('groups', source, ({ team }) => team);
    return { graph, source, groups };
  };

  it('has members in key order, and no group without members', () => {
    const { graph, source, groups } = world();
    source.set('c', { team: 'red', n: 3 });
    source.set('a', { team: 'red', n: 1 });
    source.set('b', { team: 'blue', n: 2 });
    source.set('none', { n: 0 });
    graph.advance();
    expect(groups.keys()).toEqual(['blue', 'red']);
    expect(groups.peek('red')?.map(({ n }) => n)).toEqual([1, 3]);
    source.set('b', { team: 'red', n: 2 });
    graph.advance();
    expect(groups.keys()).toEqual(['red']);
    expect([groups.size, groups.peek('blue')]).toEqual([1, undefined]);
    expect(groups.peek('red')?.map(({ n }) => n)).toEqual([1, 2, 3]);
  });

  it('keeps arrays that were handed out as they were', () => {
    const { graph, source, groups } = world();
    source.set('a', { team: 'red', n: 1 });
    source.set('b', { team: 'red', n: 2 });
    graph.advance();
    const before = groups.peek('red');
    source.set('a', { team: 'red', n: 10 });
    source.delete('b');
    graph.advance();
    expect(before?.map(({ n }) => n)).toEqual([1, 2]);
    expect(groups.peek('red')?.map(({ n }) => n)).toEqual([10]);
  });

  it('takes bursts into large groups, in any order', () => {
    const { graph, source, groups } = world();
    const name = (i: number) => String(i).padStart(5, '0');
    for (let i = 0; i < 5_000; i++)
      source.set(name((i * 7_919) % 5_000), { team: 'red', n: (i * 7_919) % 5_000 });
    graph.advance();
    expect(groups.peek('red')?.map(({ n }) => n)).toEqual(Array.from({ length: 5_000 }, (_, i) => i));
    for (let i = 0; i < 5_000; i += 2) source.delete(name(i));
    source.set(name(1), { team: 'red', n: -1 });
    graph.advance();
    expect(
      groups
        .peek('red')
        ?.slice(0, 3)
        .map(({ n }) => n),
    ).toEqual([-1, 3, 5]);
    expect(groups.peek('red')?.length).toBe(2_500);
  });

  it('is itself a source of entries', () => {
    const { graph, source, groups } = world();
    const sums = graph.mapEntries('sums', groups, (members) => members.reduce((sum, { n }) => sum + n, 0));
    source.set('a', { team: 'red', n: 1 });
    source.set('b', { team: 'red', n: 2 });
    graph.advance();
    expect(contentOf(sums)).toEqual({ red: 3 });
    source.delete('a');
    source.delete('b');
    graph.advance();
    expect(contentOf(sums)).toEqual({});
  });
});

describe('indexBy', () => {
  it('has an entry under each of its keys, once', () => {
    const graph = createGraph();
    const source = graph.source<readonly string[]>('source');
    const index = graph.indexBy('index', source, (labels) => labels);
    source.set('b', ['x', 'y', 'x']);
    source.set('a', ['x']);
    graph.advance();
    expect([index.peek('x'), index.peek('y')]).toEqual([[['x'], ['x', 'y', 'x']], [['x', 'y', 'x']]]);
    source.set('b', ['z']);
    graph.advance();
    expect([index.peek('x'), index.peek('y'), index.peek('z')]).toEqual([[['x']], [], [['z']]]);
    source.replace([]);
    graph.advance();
    expect(graph.stats().nodes[1]?.records).toBe(0);
  });
});

describe('unionEntries', () => {
  it('has all entries, lets the earlier source win and reports the clash to the later one', () => {
    const graph = createGraph();
    const first = graph.source<string>('first');
    const second = graph.source<string>('second');
    const all = graph.unionEntries('all', first, second);
    second.set('both', 'second');
    second.set('own', 'second');
    graph.advance();
    expect(contentOf(all)).toEqual({ both: 'second', own: 'second' });
    first.set('both', 'first');
    graph.advance();
    expect(contentOf(all)).toEqual({ both: 'first', own: 'second' });
    expect(graph.problems.keys().map((key) => graph.problems.peek(key))).toEqual([
      {
        severity: 'error',
        reason: 'DuplicateKey',
        field: '',
        message: '"both" of all is already taken by first',
        owner: { kind: 'second', namespace: '', name: 'both' },
      },
    ]);
    first.delete('both');
    graph.advance();
    expect(all.peek('both')).toBe('second');
    expect(graph.problems.size).toBe(0);
  });

  it('may be of nothing, and of one source twice', () => {
    const graph = createGraph();
    const source = graph.source<number>('source');
    expect(graph.unionEntries('nothing').size).toBe(0);
    const twice = graph.unionEntries('twice', source, source);
    source.set('a', 1);
    graph.advance();
    expect(contentOf(twice)).toEqual({ a: 1 });
  });
});
