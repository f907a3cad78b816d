import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGraph } from '../../../src/collections/create-graph.ts';
import type { Delta } from '../../../src/collections/types.ts';
import {
  applyEdit,
  type Built,
  build,
  edits,
  evaluate,
  graphPlans,
  type NodePlan,
  observe,
  overlayOf,
  sortedEntries,
  steps,
  yieldAfter,
} from './random-graph.ts';

const plainSources = () => [new Map<string, unknown>(), new Map<string, unknown>()] as const;

/** A graph of the same plan that never saw anything but the given content. */
function fromScratch(plan: readonly NodePlan[], sources: readonly ReadonlyMap<string, unknown>[]): Built {
  const built = build(plan, createGraph());
  sources.forEach((content, i) => {
    built.sources[i]!.replace(content as ReadonlyMap<string, { n: number }>);
  });
  built.graph.advance();
  return built;
}

/** Keeps a copy of every collection by folding its deltas; `check` looks whether each of them was what a delta should be. */
function follow(built: Built) {
  const copies = new Map<number, Map<string, unknown>>();
  const arrived: { readonly copy: Map<string, unknown>; readonly deltas: readonly Delta<unknown>[] }[] = [];
  for (const [i, collection] of built.collections) {
    const copy = new Map<string, unknown>();
    copies.set(i, copy);
    collection.deltas$.subscribe((deltas) => arrived.push({ copy, deltas }));
  }
  const check = () => {
    for (const { copy, deltas } of arrived.splice(0)) {
      expect(deltas.length).toBeGreaterThan(0);
      const order = deltas.map(({ key }) => key);
      expect(order).toEqual([...new Set(order)].sort());
      for (const delta of deltas) {
        expect(delta.before).toEqual(copy.get(delta.key));
        expect('before' in delta).toBe(copy.has(delta.key));
        expect(delta.after).not.toEqual(delta.before);
        if ('after' in delta) copy.set(delta.key, delta.after);
        else copy.delete(delta.key);
      }
    }
    return copies;
  };
  return check;
}

describe('random graphs under random edits', () => {
  it('hold what a naive evaluation gives, however turns are sliced and superseded', () => {
    fc.assert(
      fc.property(graphPlans, steps, (plan, sequence) => {
        const built = build(plan, createGraph());
        const folded = follow(built);
        const plain = plainSources();
        let finished = evaluate(plan, plain);
        for (const step of [...sequence, { do: 'turn' } as const]) {
          applyEdit(step, built, plain);
          const ended =
            (step.do === 'turn' && built.graph.advance() === 'finished') ||
            (step.do === 'slice' && built.graph.advance(yieldAfter(step.entries)) === 'finished');
          if (ended) finished = evaluate(plan, plain);
          expect(observe(built, plan)).toEqual(finished);
          for (const [i, copy] of folded())
            expect(sortedEntries(copy)).toEqual(sortedEntries(finished.contents[i]!));
        }
        expect(built.graph.dirty).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('keep nothing that a graph made from scratch would not: no entry, reader, slot, claim or problem', () => {
    fc.assert(
      fc.property(graphPlans, steps, (plan, sequence) => {
        const built = build(plan, createGraph());
        const plain = plainSources();
        for (const step of sequence) {
          applyEdit(step, built, plain);
          if (step.do === 'turn') built.graph.advance();
          if (step.do === 'slice') built.graph.advance(yieldAfter(step.entries));
        }
        built.graph.advance();
        expect(built.graph.stats()).toEqual(fromScratch(plan, plain).graph.stats());
        for (const source of built.sources) source.replace([]);
        built.graph.advance();
        expect(built.graph.stats()).toEqual(build(plan, createGraph()).graph.stats());
      }),
      { numRuns: 300 },
    );
  });

  it('come to the same whatever the order of arrival', () => {
    fc.assert(
      fc.property(
        graphPlans,
        fc.array(edits, { maxLength: 15 }),
        fc.infiniteStream(fc.nat(1_000)),
        (plan, sequence, random) => {
          const plain = plainSources();
          const first = build(plan, createGraph());
          for (const step of sequence) applyEdit(step, first, plain);
          first.graph.advance();
          const second = build(plan, createGraph());
          const arrivals = plain.flatMap((content, source) =>
            [...content].map(([key, value]) => ({ source, key, value })),
          );
          const order = arrivals
            .map((arrival) => ({ arrival, at: random.next().value as number }))
            .sort((a, b) => a.at - b.at);
          for (const { arrival, at } of order) {
            second.sources[arrival.source]!.set(arrival.key, arrival.value as { n: number });
            if (at % 3 === 0) second.graph.advance(yieldAfter(1 + (at % 5)));
            if (at % 7 === 0) second.graph.advance();
          }
          second.graph.advance();
          expect(observe(second, plan)).toEqual(observe(first, plan));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('show in a fork what they would hold after the overlay, from any moment of a turn, and are not touched by it', () => {
    fc.assert(
      fc.property(graphPlans, steps, fc.array(edits, { maxLength: 4 }), (plan, sequence, what) => {
        const built = build(plan, createGraph());
        const plain = plainSources();
        let committed: readonly Map<string, unknown>[] = plainSources();
        for (const step of sequence) {
          applyEdit(step, built, plain);
          const ended =
            (step.do === 'turn' && built.graph.advance() === 'finished') ||
            (step.do === 'slice' && built.graph.advance(yieldAfter(step.entries)) === 'finished');
          if (ended) committed = plain.map((content) => new Map(content));
        }
        const before = observe(built, plan);
        const statsBefore = built.graph.stats();
        const overlay = overlayOf(what, built);
        const fork = built.graph.fork(overlay);
        for (const edit of overlay) {
          const content = committed[built.sources.indexOf(edit.collection as Built['sources'][number])]!;
          if (edit.value === undefined) content.delete(edit.key);
          else content.set(edit.key, edit.value);
        }
        const expected = evaluate(plan, committed);
        for (const [i, collection] of built.collections) {
          const after = expected.contents[i]!;
          const all = new Set([...collection.keys(), ...after.keys()]);
          const changes = new Map(fork.changes(collection).map((delta) => [delta.key, delta]));
          for (const key of all) {
            expect(fork.peek(collection, key)).toEqual(after.get(key));
            const delta = changes.get(key);
            if (delta === undefined) expect(after.get(key)).toEqual(collection.peek(key));
            else {
              expect(delta.before).toEqual(collection.peek(key));
              expect(delta.after).toEqual(after.get(key));
            }
          }
        }
        expect(fork.problems.map((problem) => JSON.stringify(problem)).sort()).toEqual(expected.problems);
        expect(observe(built, plan)).toEqual(before);
        expect(built.graph.stats()).toEqual(statsBefore);
        built.graph.advance();
        expect(observe(built, plan)).toEqual(evaluate(plan, plain));
      }),
      { numRuns: 300 },
    );
  });

  it('recompute nothing that is up to date', () => {
    fc.assert(
      fc.property(graphPlans, fc.array(edits, { maxLength: 15 }), (plan, sequence) => {
        const built = build(plan, createGraph());
        const plain = plainSources();
        for (const step of sequence) applyEdit(step, built, plain);
        built.graph.advance();
        const runs = built.runs.count;
        for (const [i, content] of plain.entries()) {
          for (const [key, value] of content)
            built.sources[i]!.set(key, structuredClone(value) as { n: number });
        }
        expect(built.graph.dirty).toBe(false);
        expect(built.graph.advance()).toBe('finished');
        expect(built.runs.count).toBe(runs);
      }),
      { numRuns: 100 },
    );
  });

  it('pass the purity check', () => {
    fc.assert(
      fc.property(graphPlans, steps, fc.integer(), (plan, sequence, seed) => {
        const built = build(plan, createGraph({ checkPurity: { seed } }));
        const plain = plainSources();
        for (const step of sequence) {
          applyEdit(step, built, plain);
          if (step.do === 'turn') built.graph.advance();
          if (step.do === 'slice') built.graph.advance(yieldAfter(step.entries));
        }
        built.graph.advance();
        expect(observe(built, plan)).toEqual(evaluate(plan, plain));
      }),
      { numRuns: 100 },
    );
  });
});
