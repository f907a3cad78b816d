import { type Engine, putDeps } from './engine.ts';
import { putProblems } from './problem-book.ts';
import { noDeps } from './readers.ts';
import type { Node } from './node.ts';

/** Takes out all nodes from index `mark` on: their reads, their problems, their content. Handles of theirs show nothing any more. */
export function releaseNodes(engine: Engine, mark: number): void {
  const gone = engine.nodes.slice(mark);
  if (gone.length === 0) return;
  engine.open = true;
  for (const unread of engine.unreads) unread();
  engine.unreads.length = 0;
  for (const node of gone) {
    for (const key of [...node.refs.keys()]) putDeps(engine, node, key, noDeps);
    for (const held of node.problemMaps)
      for (const key of [...held.current.keys()]) putProblems(engine, node, held, key, []);
  }
  for (const unread of engine.unreads) unread();
  engine.unreads.length = 0;
  engine.nodes.length = mark;
  engine.low = Math.min(engine.low, mark);
  for (const node of engine.nodes) {
    const kept = node.children.filter((child) => child < mark);
    node.children.splice(0, node.children.length, ...kept);
  }
  for (const node of gone) empty(engine, node);
}

function empty(engine: Engine, node: Node): void {
  node.settle?.();
  engine.touched.delete(node);
  node.dirty.clear();
  node.subject = undefined;
  for (const map of node.turnMaps) {
    map.current.clear();
    map.undo = undefined;
    map.size = 0;
    map.committedSize = 0;
  }
  node.sortedKeys.reset();
}
