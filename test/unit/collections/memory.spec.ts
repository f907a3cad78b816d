import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';
import { yieldAfter } from './random-graph.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Waits until nothing holds any of the objects, or gives up after many collections. */
async function allGone(refs: readonly WeakRef<object>[]): Promise<boolean> {
  for (let i = 0; i < 50; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    if (refs.every((ref) => ref.deref() === undefined)) return true;
  }
  return false;
}

interface Item {
  readonly team: string;
  readonly payload: readonly number[];
}

/** Every kind of node over one source, with readers, groups, clashes and problems. */
function world() {
  const graph = createGraph();
  const source = graph.source<Item>('source');
  const other = graph.source<Item>('other');
  const index = graph.indexBy('index', source, ({ team }) => [team, 'all']);
  const groups = graph.groupEntriesBy('groups', source, ({ team }) => team);
  const flat = graph.flatMapEntries('flat', source, (item) => [[item.team, item]]);
  const union = graph.unionEntries('union', source, other);
  const kept = graph.mapEntries(
    'kept',
    union,
    (item, key, reader) => {
      if (key.endsWith('3')) throw new Error('three');
      return [
        item,
        reader.read(source, key),
        reader.readIndex(index, item.team),
        reader.read(flat, item.team),
      ];
    },
    { reads: [source, index, flat] },
  );
  return { graph, source, other, groups, kept };
}

const item = (n: number): Item => ({ team: `t${n % 3}`, payload: [n] });

describe('memory', () => {
  it('lets go of an entry’s values when the entry goes', async () => {
    const { graph, source, other, kept } = world();
    const refs: WeakRef<object>[] = [];
    const fill = () => {
      for (let n = 0; n < 30; n++) {
        const value = item(n);
        refs.push(new WeakRef(value));
        source.set(`k${n}`, value);
        if (n % 4 === 0) other.set(`k${n}`, value);
      }
      graph.advance();
      expect(kept.size).toBeGreaterThan(0);
    };
    fill();
    source.replace([]);
    other.replace([]);
    graph.advance();
    expect(await allGone(refs)).toBe(true);
    expect(graph.stats()).toEqual(world().graph.stats());
  });

  it('lets go of what was replaced, once the turn is finished', async () => {
    const { graph, source } = world();
    const refs: WeakRef<object>[] = [];
    const put = (n: number) => {
      const value = item(n);
      refs.push(new WeakRef(value));
      source.set('same', value);
    };
    for (let n = 0; n < 20; n++) {
      put(n);
      graph.advance(n % 2 === 0 ? undefined : yieldAfter(2));
    }
    source.set('same', item(99));
    graph.advance();
    expect(await allGone(refs)).toBe(true);
  });

  it('lets go of a fork', async () => {
    const { graph, source, kept } = world();
    for (let n = 0; n < 30; n++) source.set(`k${n}`, item(n));
    graph.advance();
    const stats = graph.stats();
    const refs: WeakRef<object>[] = [];
    const tryOut = (n: number) => {
      const value = item(100 + n);
      const fork = graph.fork([{ collection: source, key: `k${n}`, value }]);
      expect(fork.changes(kept).length).toBeGreaterThan(0);
      refs.push(new WeakRef(value), new WeakRef(fork));
    };
    for (let n = 4; n < 8; n++) tryOut(n);
    expect(await allGone(refs)).toBe(true);
    expect(graph.stats()).toEqual(stats);
  });

  it('lets go of a released generation, though its handles are kept', async () => {
    const { graph, source } = world();
    source.set('a', item(1));
    graph.advance();
    const mark = graph.mark();
    const refs: WeakRef<object>[] = [];
    const make = () =>
      graph.mapEntries('generation', source, () => {
        const made = { made: true };
        refs.push(new WeakRef(made));
        return made;
      });
    const handle = make();
    graph.advance();
    expect(refs.length).toBe(1);
    graph.release(mark);
    graph.advance();
    expect(await allGone(refs)).toBe(true);
    expect(handle.size).toBe(0);
  });

  it('holds one record per reader, bare or in a set, and none after the last', () => {
    const graph = createGraph();
    const wishes = graph.source<string>('wishes');
    const things = graph.source<number>('things');
    graph.mapEntries('answers', wishes, (wish, _key, reader) => reader.read(things, wish) ?? 0, {
      reads: [things],
    });
    const readers = () => graph.stats().nodes[1]?.readers;
    const counts: unknown[] = [];
    for (const step of [
      () => wishes.set('a', 'x'),
      () => wishes.set('b', 'x'),
      () => wishes.set('c', 'x'),
      () => wishes.set('b', 'y'),
      () => wishes.delete('c'),
      () => wishes.delete('a'),
      () => wishes.delete('b'),
    ]) {
      step();
      graph.advance();
      counts.push(readers());
    }
    expect(counts).toEqual([1, 2, 3, 3, 2, 1, 0]);
  });
});
