import { CodedError } from '../lib/coded-error.ts';
import type { Engine } from './engine.ts';
import { nodeAt } from './engine.ts';
import { createProblemBook, problemsIndex } from './problem-book.ts';
import type { PurityCheck } from './purity.ts';
import { createReader } from './tracked-run.ts';

/** What a handle stands for: the index of its node, the same in a graph and its forks. */
export type Handles = ReadonlyMap<object, number>;

/** An engine without nodes, or, with a parent, a what-if over the parent's last finished turn with the same nodes. */
export function createEngine(handles: Handles, purity: PurityCheck | undefined, parent?: Engine): Engine {
  const engine: Engine = {
    nodes: [],
    problems: createProblemBook(parent?.problems),
    purity,
    reader: createReader(
      () => engine.frame,
      (handle) => nodeOf(engine, handles, handle),
      parent !== undefined,
    ),
    frame: undefined,
    low: 0,
    open: false,
    turn: {},
    touched: new Set(),
    unreads: [],
  };
  for (const node of parent?.nodes ?? []) engine.nodes.push(node.fork(engine));
  return engine;
}

/** The node behind a handle; a handle of another graph, or of a released node, is refused. */
export function nodeOf(engine: Engine, handles: Handles, handle: object) {
  const index = handles.get(handle);
  if (index === problemsIndex) return engine.problems.node;
  if (index === undefined)
    throw new CodedError(
      'HAPTIC_ERR_COLLECTIONS_FOREIGN',
      `"${'name' in handle ? String(handle.name) : 'unknown'}" is not a collection of this graph, or was released`,
    );
  return nodeAt(engine, index);
}
