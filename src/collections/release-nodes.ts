import type { Engine } from './engine.ts';
import type { Node } from './node.ts';
import { releaseProblem } from './problem-book.ts';
import { forgetReaders } from './readers.ts';

/**
 * Takes out all nodes from index `mark` on: their reads, their problems, their content. Handles of theirs show nothing any more. What
 * goes is not taken apart entry by entry: the cost is that of the problems that go and of what reads the nodes that stay.
 */
export function releaseNodes(engine: Engine, mark: number): void {
  const gone = engine.nodes.slice(mark);
  if (gone.length === 0) return;
  engine.open = true;
  for (const unread of engine.unreads) unread();
  engine.unreads.length = 0;
  for (const node of gone)
    for (const held of node.problemMaps)
      for (const names of held.current.values()) for (const name of names ?? []) releaseProblem(engine, name);
  engine.nodes.length = mark;
  engine.low = Math.min(engine.low, mark);
  for (const node of engine.nodes) {
    forgetReaders(node.readers, mark);
    const kept = node.children.filter((child) => child < mark);
    node.children.splice(0, node.children.length, ...kept);
  }
  for (const node of gone) empty(engine, node);
}

function empty(engine: Engine, node: Node): void {
  node.settle?.();
  engine.touched.delete(node);
  node.dirty.clear();
  node.refs.clear();
  forgetReaders(node.readers, 0);
  node.subject = undefined;
  for (const map of node.turnMaps) {
    map.current.clear();
    map.undo = undefined;
    map.size = 0;
    map.committedSize = 0;
  }
  node.sortedKeys.reset();
}
