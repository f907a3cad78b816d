import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';
import { applyEdit, build, evaluate, graphPlans, observe, steps, yieldAfter } from './random-graph.ts';

function world() {
  const graph = createGraph();
  const source = graph.source<number>('source');
  const base = graph.mapEntries('base', source, (n) => n + 1);
  source.set('a', 1);
  graph.advance();
  return { graph, source, base };
}

describe('mark and release', () => {
  it('takes out what was made since, with its readers and problems, and leaves the rest working', () => {
    const { graph, source, base } = world();
    const before = graph.stats();
    const mark = graph.mark();
    const index = graph.indexBy('index', base, (n) => [String(n)]);
    const reading = graph.mapEntries(
      'reading',
      base,
      (n, key, reader) => {
        reader.report({
          severity: 'error',
          reason: 'X',
          field: '',
          message: '',
          owner: { kind: '', namespace: '', name: key },
        });
        return [n, reader.read(source, key), reader.readIndex(index, '2'), reader.readKeys(source)];
      },
      { reads: [source, index] },
    );
    graph.advance();
    expect([reading.size, graph.problems.size]).toEqual([1, 1]);
    graph.release(mark);
    expect(graph.dirty).toBe(true);
    graph.advance();
    expect(graph.stats()).toEqual(before);
    expect([reading.size, reading.peek('a'), reading.keys(), index.peek('2')]).toEqual([
      0,
      undefined,
      [],
      [],
    ]);
    source.set('a', 5);
    source.set('b', 6);
    graph.advance();
    expect(base.keys().map((key) => base.peek(key))).toEqual([6, 7]);
    expect(graph.stats().nodes.length).toBe(2);
  });

  it('shows a released collection’s problems until the turn is finished', () => {
    const { graph, base } = world();
    const mark = graph.mark();
    graph.mapEntries('failing', base, () => {
      throw new Error('x');
    });
    graph.advance();
    const seen: number[] = [];
    graph.problems.deltas$.subscribe((deltas) => seen.push(deltas.length));
    graph.release(mark);
    expect(graph.problems.size).toBe(1);
    graph.advance();
    expect([graph.problems.size, seen]).toEqual([0, [1]]);
  });

  it('frees the names, so that the next generation can be built', () => {
    const { graph, base } = world();
    const mark = graph.mark();
    const first = graph.mapEntries('generation', base, (n) => `first ${n}`);
    graph.advance();
    graph.release(mark);
    const second = graph.mapEntries('generation', base, (n) => `second ${n}`);
    graph.advance();
    expect([first.peek('a'), second.peek('a')]).toEqual([undefined, 'second 2']);
    expect(() => graph.mapEntries('m', first, (n) => n)).toThrow(
      '"generation" is not a collection of this graph, or was released',
    );
  });

  it('does nothing when nothing was made since', () => {
    const { graph } = world();
    graph.release(graph.mark());
    expect(graph.dirty).toBe(false);
  });

  it('refuses to write a source that is gone', () => {
    const { graph } = world();
    const mark = graph.mark();
    const source = graph.source<number>('more');
    graph.release(mark);
    expect(() => source.set('a', 1)).toThrow('"more" was released: it cannot be written');
  });

  it('stops deltas of what is gone', () => {
    const { graph, source, base } = world();
    const mark = graph.mark();
    const derived = graph.mapEntries('derived', base, (n) => n);
    let seen = 0;
    derived.deltas$.subscribe(() => seen++);
    graph.advance();
    graph.release(mark);
    source.set('a', 9);
    graph.advance();
    expect(seen).toBe(1);
  });

  it('leaves no trace of a whole generation, at any moment of a turn', () => {
    fc.assert(
      fc.property(graphPlans, graphPlans, steps, fc.nat(6), (plan, generation, sequence, slice) => {
        const built = build(plan, createGraph());
        const plain = [new Map<string, unknown>(), new Map<string, unknown>()];
        const half = sequence.length >> 1;
        for (const step of sequence.slice(0, half)) applyEdit(step, built, plain);
        if (slice % 2 === 0) built.graph.advance();
        const mark = built.graph.mark();
        // The generation's own sources become maps of the existing ones: it reads and derives from what stays.
        const { graph } = built;
        let made = 0;
        const additions = build(generation, {
          ...graph,
          source: () => {
            const collection = graph.mapEntries(`g-n${made}`, built.sources[made % 2]!, (item) => item);
            made++;
            return collection as never;
          },
          mapEntries: (name, ...rest) => graph.mapEntries(`g-${name}`, ...rest),
          flatMapEntries: (name, ...rest) => graph.flatMapEntries(`g-${name}`, ...rest),
          groupEntriesBy: (name, ...rest) => graph.groupEntriesBy(`g-${name}`, ...rest),
          indexBy: (name, ...rest) => graph.indexBy(`g-${name}`, ...rest),
          unionEntries: (name, ...rest) => graph.unionEntries(`g-${name}`, ...rest),
        });
        expect(additions.collections.size).toBeGreaterThan(0);
        for (const step of sequence.slice(half)) {
          applyEdit(step, built, plain);
          if (step.do === 'turn') graph.advance();
          if (step.do === 'slice') graph.advance(yieldAfter(step.entries));
        }
        if (slice % 3 === 0) graph.advance(yieldAfter(slice));
        graph.release(mark);
        graph.advance();
        expect(observe(built, plan)).toEqual(evaluate(plan, plain));
        const scratch = build(plan, createGraph());
        plain.forEach((content, i) =>
          scratch.sources[i]!.replace(content as ReadonlyMap<string, { n: number }>),
        );
        scratch.graph.advance();
        expect(graph.stats()).toEqual(scratch.graph.stats());
      }),
      { numRuns: 200 },
    );
  });
});
