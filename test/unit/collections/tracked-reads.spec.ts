import { describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';

function world() {
  const graph = createGraph();
  const wishes = graph.source<{ readonly wants: readonly string[] }>('wishes');
  const things = graph.source<string>('things');
  const byLetter = graph.indexBy('by-letter', things, (thing) => [thing.slice(0, 1)]);
  return { graph, wishes, things, byLetter };
}

describe('tracked reads', () => {
  it('recompute exactly the entries that read the key that changed', () => {
    const { graph, wishes, things } = world();
    const runs: string[] = [];
    const answers = graph.mapEntries(
      'answers',
      wishes,
      ({ wants }, key, reader) => {
        runs.push(key);
        return wants.map((want) => reader.read(things, want) ?? 'none').join(' ');
      },
      { reads: [things] },
    );
    wishes.set('one', { wants: ['x', 'y'] });
    wishes.set('two', { wants: ['y'] });
    wishes.set('three', { wants: [] });
    graph.advance();
    runs.length = 0;
    things.set('x', 'apple');
    graph.advance();
    expect(runs).toEqual(['one']);
    things.set('y', 'pear');
    graph.advance();
    expect(runs.slice(1).sort()).toEqual(['one', 'two']);
    expect(answers.keys().map((key) => answers.peek(key))).toEqual(['apple pear', '', 'pear']);
    runs.length = 0;
    things.delete('x');
    things.set('z', 'unread');
    graph.advance();
    expect(runs).toEqual(['one']);
    expect(answers.peek('one')).toBe('none pear');
  });

  it('see a missing key come', () => {
    const { graph, wishes, things } = world();
    const answers = graph.mapEntries('answers', wishes, (_, key, reader) => reader.read(things, key), {
      reads: [things],
    });
    wishes.set('a', { wants: [] });
    graph.advance();
    expect(answers.size).toBe(0);
    things.set('a', 'here');
    graph.advance();
    expect(answers.peek('a')).toBe('here');
  });

  it('follow an index key: members that come, change and go, and nothing of other keys', () => {
    const { graph, wishes, things, byLetter } = world();
    let runs = 0;
    const lists = graph.mapEntries(
      'lists',
      wishes,
      (_, key, reader) => {
        runs++;
        return reader.readIndex(byLetter, key).join(' ');
      },
      { reads: [byLetter] },
    );
    wishes.set('a', { wants: [] });
    graph.advance();
    expect(lists.peek('a')).toBe('');
    things.set('2', 'ape');
    things.set('1', 'ant');
    things.set('3', 'bee');
    graph.advance();
    expect([lists.peek('a'), runs]).toEqual(['ant ape', 2]);
    things.set('3', 'bear');
    graph.advance();
    expect(runs).toBe(2);
    things.set('3', 'adder');
    things.set('1', 'asp');
    graph.advance();
    expect([lists.peek('a'), runs]).toEqual(['asp ape adder', 3]);
    things.set('2', 'cow');
    things.delete('1');
    graph.advance();
    expect(lists.peek('a')).toBe('adder');
    expect(byLetter.peek('a')).toEqual(['adder']);
    expect(byLetter.peek('nothing')).toEqual([]);
  });

  it('follow membership: keys that come and go, but not values', () => {
    const { graph, wishes, things } = world();
    let runs = 0;
    const lists = graph.mapEntries(
      'lists',
      wishes,
      (_value, _key, reader) => {
        runs++;
        return reader.readKeys(things).join(' ');
      },
      { reads: [things] },
    );
    wishes.set('w', { wants: [] });
    things.set('b', '1');
    graph.advance();
    things.set('a', '1');
    graph.advance();
    expect([lists.peek('w'), runs]).toEqual(['a b', 2]);
    things.set('a', '2');
    graph.advance();
    expect(runs).toBe(2);
    things.delete('b');
    graph.advance();
    expect([lists.peek('w'), runs]).toEqual(['a', 3]);
  });

  it('are dropped when a projector no longer looks', () => {
    const { graph, wishes, things } = world();
    let runs = 0;
    graph.mapEntries(
      'answers',
      wishes,
      ({ wants }, _key, reader) => {
        runs++;
        return wants.map((want) => reader.read(things, want) ?? '').length;
      },
      { reads: [things] },
    );
    wishes.set('w', { wants: ['x', 'y'] });
    graph.advance();
    wishes.set('w', { wants: ['y', 'z'] });
    graph.advance();
    runs = 0;
    things.set('x', '1');
    graph.advance();
    expect(runs).toBe(0);
    things.set('z', '1');
    graph.advance();
    expect(runs).toBe(1);
    wishes.delete('w');
    graph.advance();
    expect(graph.stats().nodes.map(({ readers, looks }) => readers + looks)).toEqual([0, 0, 0, 0]);
  });

  it('count once however often a projector looks, be it at few keys or at many', () => {
    const { graph, wishes, things, byLetter } = world();
    graph.mapEntries(
      'answers',
      wishes,
      ({ wants }, _key, reader) => {
        for (let i = 0; i < 3; i++) {
          for (const want of wants) reader.read(things, want);
          reader.readIndex(byLetter, 'a');
          reader.readKeys(things);
        }
        return wants.length;
      },
      { reads: [things, byLetter] },
    );
    const many = Array.from({ length: 100 }, (_, i) => `k${i}`);
    wishes.set('few', { wants: ['x', 'y'] });
    wishes.set('many', { wants: many });
    graph.advance();
    const looks = () => graph.stats().nodes.at(-1)?.looks;
    expect(looks()).toBe(2 + 2 + 100 + 2);
    wishes.set('many', { wants: many.slice(1) });
    graph.advance();
    expect(looks()).toBe(2 + 2 + 99 + 2);
    expect(graph.stats().nodes[1]?.readers).toBe(2 + 99 + 2);
  });

  it('may be of groups, unions and the projector’s own source', () => {
    const graph = createGraph();
    const a = graph.source<number>('a');
    const b = graph.source<number>('b');
    const groups = graph.groupEntriesBy('groups', a, (n) => (n % 2 === 0 ? 'even' : 'odd'));
    const all = graph.unionEntries('all', a, b);
    const report = graph.mapEntries(
      'report',
      a,
      (n, _key, reader) => [n, reader.read(a, 'one'), reader.read(groups, 'even'), reader.read(all, 'two')],
      { reads: [a, groups, all] },
    );
    a.set('one', 1);
    a.set('four', 4);
    b.set('two', 2);
    graph.advance();
    expect(report.peek('four')).toEqual([4, 1, [4], 2]);
    a.set('one', 10);
    b.delete('two');
    graph.advance();
    expect(report.peek('four')).toEqual([4, 10, [4, 10], undefined]);
  });
});
