import type { Problem } from '../lib/problem.ts';
import { equalData } from './equal-data.ts';
import type { Engine } from './engine.ts';
import { createNodeState, type Node, plainAccess } from './node.ts';
import { createTurnMap, turnCommitted, turnGet, type TurnMap, turnWrite } from './turn-map.ts';

/**
 * All problems of a graph, counted: several entries may report the same one, and it goes with the last of them.
 * Keys are made from the content, owner first, so key order is owner order and equal problems are one entry.
 */
export interface ProblemBook {
  readonly node: Node;
  readonly counts: TurnMap<number>;
}

/** Index of the book's node, which is in no graph's list: nothing can be derived from it. */
export const problemsIndex = -1;

export function createProblemBook(parent?: ProblemBook): ProblemBook {
  const counts = createTurnMap(parent?.counts);
  const state = createNodeState(
    { index: problemsIndex, name: 'problems', kind: 'problems', sources: [], reads: new Set() },
    parent?.node,
  );
  const node: Node = {
    ...state,
    ...plainAccess(state),
    equal: equalData,
    sameValue: equalData,
    evaluate: () => undefined,
    apply: () => undefined,
    problemMaps: [],
    turnMaps: [state.values, counts],
    fork: () => node,
  };
  return { node, counts };
}

export function problemKey(problem: Problem): string {
  const { owner } = problem;
  return JSON.stringify([
    owner.kind,
    owner.namespace,
    owner.name,
    problem.reason,
    problem.field,
    problem.severity,
    problem.message,
  ]);
}

/** Replaces the problems of one entry of `node`, kept in `held` (by entry key). */
export function putProblems(
  engine: Engine,
  node: Node,
  held: TurnMap<readonly string[]>,
  key: string,
  problems: readonly Problem[],
): void {
  const before = turnGet(held, key);
  if (before === undefined && problems.length === 0) return;
  const byKey = new Map(problems.map((problem) => [problemKey(problem), problem]));
  for (const [name, problem] of byKey) retain(engine, name, problem);
  for (const name of before ?? []) releaseProblem(engine, name);
  engine.open = true;
  engine.touched.add(node);
  turnWrite(held, key, byKey.size === 0 ? undefined : [...byKey.keys()]);
}

function retain(engine: Engine, name: string, problem: Problem): void {
  const { node, counts } = engine.problems;
  const count = turnGet(counts, name) ?? 0;
  write(engine, counts, name, count + 1);
  if (count > 0) return;
  // One that went and came back within a turn is the same one: no delta.
  turnWrite(node.values, name, turnCommitted(node.values, name) ?? problem);
  node.sortedKeys.noteMembership(name);
}

/** One entry fewer reports it. */
export function releaseProblem(engine: Engine, name: string): void {
  const { node, counts } = engine.problems;
  const count = turnGet(counts, name) ?? 0;
  write(engine, counts, name, count > 1 ? count - 1 : undefined);
  if (count > 1) return;
  turnWrite(node.values, name, undefined);
  node.sortedKeys.noteMembership(name);
}

function write(engine: Engine, counts: TurnMap<number>, name: string, count: number | undefined): void {
  turnWrite(counts, name, count);
  engine.touched.add(engine.problems.node);
  engine.problems.node.prepared = undefined;
}
