import { CodedError } from '../lib/coded-error.ts';
import type { Problem } from '../lib/problem.ts';
import { createEngine, type Handles, nodeOf } from './create-engine.ts';
import { deltasOf, editedKeys } from './deltas.ts';
import { type Engine, putValue, sweep } from './engine.ts';
import type { Node } from './node.ts';
import type { Collection, Delta, SlicedFork, SourceEdit } from './types.ts';

/** The what-if, not worked on yet. It is valid until `isCurrent` says that the graph below it has moved on. */
export function createFork(
  parent: Engine,
  handles: Handles,
  overlay: readonly SourceEdit[],
  isCurrent: () => boolean,
): SlicedFork {
  const engine = createEngine(handles, undefined, parent);
  for (const edit of overlay) {
    const node = nodeOf(engine, handles, edit.collection);
    if (node.shape.kind !== 'source')
      throw new CodedError('HAPTIC_ERR_COLLECTIONS_NOT_A_SOURCE', `a fork cannot write "${node.shape.name}"`);
    putValue(engine, node, edit.key, edit.value);
  }
  let isFinished = false;
  const refuseStale = () => {
    if (isCurrent()) return;
    throw new CodedError(
      'HAPTIC_ERR_COLLECTIONS_STALE_FORK',
      'a fork is valid only until the next turn of its graph',
    );
  };
  const refuseUnfinished = () => {
    refuseStale();
    if (isFinished) return;
    throw new CodedError(
      'HAPTIC_ERR_COLLECTIONS_UNFINISHED_FORK',
      'a fork shows nothing before it is finished',
    );
  };
  const look = (collection: Collection<unknown>): Node => {
    refuseUnfinished();
    return nodeOf(engine, handles, collection);
  };
  return {
    get isCurrent() {
      return isCurrent();
    },
    advance(shouldYield) {
      refuseStale();
      isFinished ||= sweep(engine, shouldYield);
      return isFinished ? 'finished' : 'yielded';
    },
    peek: <V>(collection: Collection<V>, key: string) => look(collection).read(key) as V | undefined,
    changes<V>(collection: Collection<V>) {
      const node = look(collection);
      return deltasOf(node, editedKeys(node)) as readonly Delta<V>[];
    },
    get problemChanges() {
      refuseUnfinished();
      const { node } = engine.problems;
      return deltasOf(node, editedKeys(node)) as readonly Delta<Problem>[];
    },
    get problems() {
      refuseUnfinished();
      const { node } = engine.problems;
      return node.sortedKeys.now().flatMap((key) => (node.read(key) as Problem | undefined) ?? []);
    },
  };
}
