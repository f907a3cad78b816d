import type { Problem } from '../lib/problem.ts';
import { type Engine, putValue } from './engine.ts';
import { equalData } from './equal-data.ts';
import { createNodeState, type Node, type NodeShape, plainAccess } from './node.ts';
import { putProblems } from './problem-book.ts';
import { noDeps } from './readers.ts';

/** All entries of several nodes; of a key that several have, the earliest node's. */
export function createUnionNode(engine: Engine, shape: NodeShape, parent?: Node): Node {
  const sources = shape.sources.flatMap((index) => engine.nodes[index] ?? []);
  const state = createNodeState(shape, parent);
  const node: Node = {
    ...state,
    ...plainAccess(state),
    equal: equalData,
    sameValue: equalData,
    evaluate(key) {
      const holders = sources.filter((source) => source.read(key) !== undefined);
      const [winner, ...losers] = holders;
      if (winner === undefined) return undefined;
      const problems = losers.map((loser) => clash(shape.name, key, winner, loser));
      return { value: winner.read(key), failed: false, problems, deps: noDeps };
    },
    apply(key, outcome) {
      putProblems(engine, node, state.problems, key, outcome?.problems ?? []);
      putValue(engine, node, key, outcome?.value);
    },
    problemMaps: [state.problems],
    turnMaps: [state.values, state.problems],
    fork: (forked) => createUnionNode(forked, shape, node),
  };
  return node;
}

function clash(collection: string, key: string, winner: Node, loser: Node): Problem {
  return {
    severity: 'error',
    reason: 'DuplicateKey',
    field: '',
    message: `"${key}" of ${collection} is already taken by ${winner.shape.name}`,
    owner: { kind: loser.shape.name, namespace: '', name: key },
  };
}
