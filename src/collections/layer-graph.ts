import { merge } from 'rxjs';
import type { Problem } from '../lib/problem.ts';
import { createGraph } from './create-graph.ts';
import { forkLayer } from './fork-layer.ts';
import { printMermaid } from './mermaid.ts';
import type { Collection, Delta, Graph, SourceCollection } from './types.ts';

export interface Layer {
  /**
   * The upper graph. Its turns begin with those of the graphs below, so a finished turn shows all of them at their newest; a
   * what-if of it takes edits of the sources below, too. Its problems are also those below.
   */
  readonly graph: Graph;
  /** A collection of a graph below, as one that can be derived from here: the same one at every call. */
  readonly above: <V>(collection: Collection<V>) => Collection<V>;
  /** Lets go of the graphs below, which know nothing of it any more; the upper graph stays what it is. */
  readonly dispose: () => void;
}

/** A collection of a graph below, and its copy in the upper graph: values are shared, the map is not. */
export interface Bridge {
  readonly from: Collection<unknown>;
  readonly to: SourceCollection<unknown>;
}

interface Work {
  readonly to: SourceCollection<unknown>;
  /** What changed; else everything that is there. */
  readonly deltas?: readonly Delta<unknown>[];
  readonly from: Collection<unknown>;
  keys?: readonly string[];
  next: number;
}

const batch = 64;

/**
 * A graph on top of others, with turns of its own: what is derived from the same collections by several (configurations, say)
 * is computed once below, and none of them waits for another's turn. Costs a map entry for every entry that is looked at
 * from above.
 *
 * @param below in topological order, where they are layers of each other
 */
export function layerGraph(below: readonly Graph[]): Layer {
  const upper = createGraph();
  const bridges = new Map<object, Bridge>();
  const queue: Work[] = [];
  const stops: (() => void)[] = [];

  const above = <V>(collection: Collection<V>): Collection<V> => {
    if (upper.has(collection)) return collection;
    const known = bridges.get(collection);
    // Made below with the very type of the collection.
    if (known !== undefined) return known.to as SourceCollection<V>;
    const to = upper.source<V>(collection.name, { equal: Object.is });
    const bridge = { from: collection, to: to as unknown as SourceCollection<unknown> };
    bridges.set(collection, bridge);
    queue.push({ ...bridge, next: 0 });
    const subscription = collection.deltas$.subscribe({
      next: (deltas) => queue.push({ ...bridge, deltas, next: 0 }),
      error: (error: unknown) => {
        throw error;
      },
    });
    stops.push(() => subscription.unsubscribe());
    return to;
  };

  /** Changes are queued until here, so that whoever changes something below waits for nobody above. */
  const takeIn = (shouldYield?: () => boolean): 'finished' | 'yielded' => {
    for (let work = queue[0]; work !== undefined; work = queue[0]) {
      const size = take(work, work.next + batch);
      if (work.next === size) queue.shift();
      if (queue.length > 0 && shouldYield?.() === true) return 'yielded';
    }
    return 'finished';
  };

  const advance: Graph['advance'] = (shouldYield) => {
    for (const graph of below) if (graph.advance(shouldYield) === 'yielded') return 'yielded';
    if (takeIn(shouldYield) === 'yielded') return 'yielded';
    return upper.advance(shouldYield);
  };

  const forkInSlices: Graph['forkInSlices'] = (overlay) =>
    forkLayer({ upper, below, bridges: [...bridges.values()] }, overlay);

  const parts = [...new Set([...below, upper].flatMap((one) => one.parts))];
  const graph: Graph = {
    ...upper,
    get dirty() {
      return queue.length > 0 || upper.dirty || below.some(({ dirty }) => dirty);
    },
    get revision() {
      return upper.revision;
    },
    advance,
    problems: mergedProblems([...below.map(({ problems }) => problems), upper.problems]),
    forkInSlices,
    fork(overlay) {
      const fork = forkInSlices(overlay);
      fork.advance();
      return fork;
    },
    has: (handle) => upper.has(handle) || below.some((lower) => lower.has(handle)),
    toMermaid: () => printMermaid(parts),
    parts,
  };
  return {
    graph,
    above,
    dispose: () => {
      for (const stop of stops) stop();
      queue.length = 0;
    },
  };
}

/** Takes in what is to do before `end`; how much there is. */
function take(work: Work, end: number): number {
  const { deltas, from, to } = work;
  if (deltas !== undefined) {
    for (; work.next < Math.min(end, deltas.length); work.next++) {
      const delta = deltas[work.next];
      if (delta?.after !== undefined) to.set(delta.key, delta.after);
      else if (delta !== undefined) to.delete(delta.key);
    }
    return deltas.length;
  }
  const keys = (work.keys ??= from.keys());
  for (; work.next < Math.min(end, keys.length); work.next++) {
    const key = keys[work.next] ?? '';
    const value = from.peek(key);
    if (value !== undefined) to.set(key, value);
  }
  return keys.length;
}

/** Those of several graphs as one collection, for looking at only: the same problem is there once. */
function mergedProblems(all: readonly Collection<Problem>[]): Collection<Problem> {
  const keys = (): string[] => [...new Set(all.flatMap((one) => one.keys()))].sort();
  return {
    name: 'problems',
    get size() {
      return keys().length;
    },
    peek: (key) => all.map((one) => one.peek(key)).find((problem) => problem !== undefined),
    keys,
    deltas$: merge(...all.map(({ deltas$ }) => deltas$)),
  };
}
