import type { Engine } from './engine.ts';
import { equalData } from './equal-data.ts';
import { createNodeState, type Node, type NodeShape, plainAccess } from './node.ts';

/** A node that is written from outside and computes nothing. */
export function createSourceNode(
  _engine: Engine,
  shape: NodeShape,
  equal: ((a: unknown, b: unknown) => boolean) | undefined,
  parent?: Node,
): Node {
  const state = createNodeState(shape, parent);
  const node: Node = {
    ...state,
    ...plainAccess(state),
    equal: equal ?? equalData,
    sameValue: equalData,
    evaluate: () => undefined,
    apply: () => undefined,
    problemMaps: [],
    turnMaps: [state.values],
    fork: (engine) => createSourceNode(engine, shape, equal, node),
  };
  return node;
}
