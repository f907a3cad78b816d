import { CodedError } from '../lib/coded-error.ts';
import type { Problem } from '../lib/problem.ts';
import type { Bridge } from './layer-graph.ts';
import { problemKey } from './problem-book.ts';
import type { Collection, Graph, SlicedFork, SourceEdit } from './types.ts';

export interface ForkedLayer {
  readonly upper: Graph;
  readonly below: readonly Graph[];
  readonly bridges: readonly Bridge[];
}

/** A what-if over several graphs: what it changes in those below is an edit of their copies above. */
export function forkLayer(
  { upper, below, bridges }: ForkedLayer,
  overlay: readonly SourceEdit[],
): SlicedFork {
  const lower = below.map((graph) => ({
    graph,
    fork: graph.forkInSlices(overlay.filter(({ collection }) => graph.has(collection))),
  }));
  const made = upper.revision;
  let above: SlicedFork | undefined;
  let isFinished = false;

  const editsAbove = (): SourceEdit[] => [
    ...overlay.filter(({ collection }) => upper.has(collection)),
    ...bridges.flatMap(({ from, to }) => {
      const owner = lower.find(({ graph }) => graph.has(from));
      const changes = owner?.fork.changes(from) ?? [];
      return changes.map(({ key, after }) => ({ collection: to, key, value: after }));
    }),
  ];
  const finished = (): SlicedFork => {
    if (above !== undefined && isFinished) return above;
    throw new CodedError(
      'HAPTIC_ERR_COLLECTIONS_UNFINISHED_FORK',
      'a fork shows nothing before it is finished',
    );
  };
  const ownerOf = (collection: Collection<unknown>): SlicedFork => {
    const fork = finished();
    if (upper.has(collection)) return fork;
    return lower.find(({ graph }) => graph.has(collection))?.fork ?? fork;
  };

  return {
    get isCurrent() {
      return lower.every(({ fork }) => fork.isCurrent) && (above?.isCurrent ?? upper.revision === made);
    },
    advance(shouldYield) {
      for (const { fork } of lower) if (fork.advance(shouldYield) === 'yielded') return 'yielded';
      above ??= upper.forkInSlices(editsAbove());
      const state = above.advance(shouldYield);
      isFinished ||= state === 'finished';
      return state;
    },
    peek: (collection, key) => ownerOf(collection).peek(collection, key),
    changes: (collection) => ownerOf(collection).changes(collection),
    get problemChanges() {
      return [...lower.flatMap(({ fork }) => fork.problemChanges), ...finished().problemChanges];
    },
    get problems() {
      return unique([...lower.flatMap(({ fork }) => fork.problems), ...finished().problems]);
    },
  };
}

function unique(problems: readonly Problem[]): readonly Problem[] {
  const byKey = new Map(problems.map((problem) => [problemKey(problem), problem]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, problem]) => problem);
}
