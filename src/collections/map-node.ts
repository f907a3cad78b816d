import { type Engine, nodeAt, putDeps, putValue } from './engine.ts';
import { createNodeState, type Node, type NodeShape, plainAccess } from './node.ts';
import { type EntryOptions, equalityOf, ownerOfEntry } from './entry-options.ts';
import { putProblems } from './problem-book.ts';
import { noDeps } from './readers.ts';
import { runTracked } from './tracked-run.ts';
import type { Reader } from './types.ts';

export interface MapDefinition {
  /** Index of the source node. */
  readonly source: number;
  project(value: unknown, key: string, reader: Reader): unknown;
  readonly options: EntryOptions;
}

/** One output entry, or none, per source entry, under the same key. */
export function createMapNode(
  engine: Engine,
  shape: NodeShape,
  definition: MapDefinition,
  parent?: Node,
): Node {
  const { options } = definition;
  const equal = equalityOf(options);
  const source = nodeAt(engine, definition.source);
  const state = createNodeState(shape, parent);
  const node: Node = {
    ...state,
    ...plainAccess(state),
    equal,
    sameValue: (a, b) => a === b || (a !== undefined && b !== undefined && equal(a, b)),
    evaluate(key) {
      const value = source.read(key);
      if (value === undefined) return undefined;
      const owner = () => ownerOfEntry(options, shape.name, value, key);
      return runTracked(engine, node, owner, (reader) => definition.project(value, key, reader));
    },
    apply(key, outcome) {
      putDeps(engine, node, key, outcome?.deps ?? noDeps);
      putProblems(engine, node, state.problems, key, outcome?.problems ?? []);
      if (outcome?.failed !== true) putValue(engine, node, key, outcome?.value);
    },
    problemMaps: [state.problems],
    turnMaps: [state.values, state.problems],
    fork: (forked) => createMapNode(forked, shape, definition, node),
  };
  return node;
}
