import { describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';
import type { Reader } from '../../../src/collections/types.ts';

const owner = { kind: '', namespace: '', name: '' };

/** A checked graph with one projector over four entries. */
function checked(project: (n: number, key: string, reader: Reader) => unknown, seed = 1) {
  const graph = createGraph({ checkPurity: { seed } });
  const source = graph.source<number>('source');
  const results = graph.mapEntries('results', source, project, { reads: [source] });
  for (const [i, key] of ['a', 'b', 'c', 'd'].entries()) source.set(key, i);
  return { graph, source, results };
}

describe('the purity check', () => {
  it('lets pure projectors be, and computes what it would without', () => {
    const { graph, results } = checked((n, key, reader) => [n, key, reader.readKeys, reader.read].length);
    expect(graph.advance()).toBe('finished');
    expect(results.size).toBe(4);
  });

  it('finds a projector that counts its runs, and names it and the entry', () => {
    let runs = 0;
    const { graph } = checked(() => ++runs);
    expect(() => graph.advance()).toThrow(
      /the projector of "results" is impure: two runs for entry "[abcd]" differ/,
    );
  });

  it('finds one that treats the first it sees differently, which needs another order', () => {
    const seen = new Set<number>();
    const { graph } = checked((n) => {
      const first = !seen.has(n % 2);
      seen.add(n % 2);
      return first ? 'first' : 'later';
    });
    expect(() => graph.advance()).toThrow('is impure');
  });

  it('finds one whose state depends on the entry before', () => {
    let last = '';
    const { graph } = checked((_n, key) => {
      const before = last;
      last = key;
      return before;
    });
    expect(() => graph.advance()).toThrow('is impure');
  });

  it('finds one that looks, reports or fails differently', () => {
    const flip = (act: (even: boolean, reader: Reader) => void) => {
      const runs = new Map<string, number>();
      return checked((n, key, reader) => {
        const run = (runs.get(key) ?? 0) + 1;
        runs.set(key, run);
        act(run % 2 === 0, reader);
        return n;
      });
    };
    const reporting = flip((even, reader) => {
      if (even) reader.report({ severity: 'warning', reason: 'X', field: '', message: '', owner });
    });
    expect(() => reporting.graph.advance()).toThrow('is impure');
    const failing = flip((even) => {
      if (even) throw new Error('sometimes');
    });
    expect(() => failing.graph.advance()).toThrow('is impure');
    const graph = createGraph({ checkPurity: { seed: 1 } });
    const things = graph.source<number>('things');
    let even = false;
    graph.mapEntries(
      'looks',
      things,
      (n, _key, reader) => {
        even = !even;
        reader.read(things, even ? 'x' : 'y');
        return n;
      },
      { reads: [things] },
    );
    things.set('a', 1);
    expect(() => graph.advance()).toThrow('"looks" is impure');
  });

  it('finds impure key functions and flat projectors', () => {
    let n = 0;
    const graph = createGraph({ checkPurity: { seed: 3 } });
    const source = graph.source<number>('source');
    graph.groupEntriesBy('groups', source, () => `g${n++}`);
    source.set('a', 1);
    expect(() => graph.advance()).toThrow('"groups" is impure');
    const other = createGraph({ checkPurity: { seed: 3 } });
    const numbers = other.source<number>('numbers');
    other.flatMapEntries('flat', numbers, () => [['same', n++]]);
    numbers.set('a', 1);
    expect(() => other.advance()).toThrow('"flat" is impure');
  });

  it('runs entries in an order that the seed decides', () => {
    const orderOf = (seed: number) => {
      const order: string[] = [];
      const { graph } = checked((_n, key) => {
        order.push(key);
        return key;
      }, seed);
      graph.advance();
      return order.join('');
    };
    const orders = Array.from({ length: 10 }, (_, seed) => orderOf(seed));
    expect(orders).toEqual(Array.from({ length: 10 }, (_, seed) => orderOf(seed)));
    expect(new Set(orders).size).toBeGreaterThan(3);
    expect(orders.every((order) => order.length === 12)).toBe(true);
  });

  it('is off unless asked for', () => {
    let runs = 0;
    const graph = createGraph();
    const source = graph.source<number>('source');
    graph.mapEntries('results', source, () => ++runs);
    source.set('a', 1);
    graph.advance();
    expect(runs).toBe(1);
  });
});
