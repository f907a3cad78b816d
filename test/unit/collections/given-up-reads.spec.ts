import { describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';
import { yieldAfter } from './random-graph.ts';

const size = 3_000;

/** Thousands of items that read one price each: of the shop that they name. */
function shops() {
  const graph = createGraph();
  const prices = graph.source<number>('prices');
  const items = graph.source<string>('items');
  let runs = 0;
  const tags = graph.mapEntries(
    'tags',
    items,
    (shop, _key, reader) => {
      runs++;
      return reader.read(prices, shop) ?? 0;
    },
    { reads: [prices] },
  );
  const setAll = (shop: string | undefined) => {
    for (let i = 0; i < size; i++)
      if (shop === undefined) items.delete(`item-${i}`);
      else items.set(`item-${i}`, shop);
  };
  const readersOfPrices = () => graph.stats().nodes.find(({ name }) => name === 'prices')?.readers;
  const runsOf = (work: () => void) => {
    const before = runs;
    work();
    return runs - before;
  };
  prices.set('old', 1);
  prices.set('new', 2);
  setAll('old');
  graph.advance();
  return { graph, prices, items, tags, setAll, readersOfPrices, runsOf };
}

describe('thousands of reads that are given up in one turn', () => {
  it('are not all dropped in one go: the next turn drops the others, with pauses, before anything else', () => {
    const { graph, prices, setAll, readersOfPrices, tags } = shops();
    setAll(undefined);
    graph.advance();
    expect(tags.size).toBe(0);
    const left = readersOfPrices() ?? 0;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(size);
    prices.set('other', 3);
    let pauses = 0;
    while (graph.advance(() => true) === 'yielded') pauses++;
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(left / 64));
    expect(readersOfPrices()).toBe(0);
    expect(graph.stats().pending).toBe(0);
  });

  it('compute nothing wrong meanwhile, and nothing that is gone', () => {
    const { graph, prices, setAll, tags, runsOf } = shops();
    setAll(undefined);
    graph.advance();
    prices.set('old', 10);
    expect(runsOf(() => graph.advance())).toBe(0);
    expect([tags.size, graph.dirty]).toEqual([0, false]);
  });

  it('are found by what-ifs when they were taken up again', () => {
    const { graph, prices, items, setAll, tags, runsOf } = shops();
    setAll('new');
    graph.advance();
    setAll('old');
    expect(graph.advance(yieldAfter(10))).toBe('yielded');
    // Of the last finished turn, in which all read the new price.
    const fork = graph.fork([{ collection: prices, key: 'new', value: 20 }]);
    expect(fork.changes(tags)).toHaveLength(size);
    while (graph.advance(yieldAfter(100)) === 'yielded');
    expect(tags.peek('item-7')).toBe(1);
    const next = graph.fork([{ collection: prices, key: 'old', value: 11 }]);
    expect(next.changes(tags)).toHaveLength(size);
    expect(graph.fork([{ collection: prices, key: 'new', value: 21 }]).changes(tags)).toEqual([]);
    prices.set('old', 12);
    expect(runsOf(() => graph.advance())).toBe(size);
    expect(tags.peek(`item-${size - 1}`)).toBe(12);
    items.delete('item-0');
    graph.advance();
    expect(tags.size).toBe(size - 1);
  });
});

describe('the deltas of a turn', () => {
  it('are made with pauses, and anew where an entry changes meanwhile', () => {
    const graph = createGraph();
    const numbers = graph.source<number>('numbers');
    const seen: number[] = [];
    const last: number[] = [];
    numbers.deltas$.subscribe((deltas) => {
      seen.push(deltas.length);
      last.push(...deltas.flatMap(({ key, after }) => (key === '0' && after !== undefined ? [after] : [])));
    });
    for (let i = 0; i < size; i++) numbers.set(String(i), i);
    let pauses = 0;
    let isChanged = false;
    while (graph.advance(() => true) === 'yielded') {
      pauses++;
      if (pauses === 5 && !isChanged) {
        isChanged = true;
        numbers.set('0', 7);
      }
    }
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(size / 256));
    expect([seen, last]).toEqual([[size], [7]]);
  });
});
