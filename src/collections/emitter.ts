import type { Engine } from './engine.ts';
import { deltasOf, editedKeys } from './deltas.ts';
import type { Node } from './node.ts';

/** Hands the deltas of finished turns to whoever subscribed. Nodes without subscribers cost nothing. */
export interface Emitter {
  /** Sorts what changed, node by node, asking in between; false when told to yield. Does not look at anything twice. */
  prepare(shouldYield: (() => boolean) | undefined): boolean;
  /** Takes the deltas of the running turn; the returned function emits them. */
  collect(): () => void;
}

/**
 * All deltas of a turn are taken before the first one is emitted, and turns that a subscriber starts from within an
 * emission are emitted after it: everybody sees the turns in order.
 */
export function createEmitter(engine: Engine): Emitter {
  const queue: (() => void)[] = [];
  let draining = false;

  const observed = (): Node[] =>
    [...engine.touched]
      .filter((node) => node.subject?.observed === true)
      .sort((a, b) => position(engine, a) - position(engine, b));

  const drain = () => {
    if (draining) return;
    draining = true;
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) next();
    } finally {
      draining = false;
    }
  };

  return {
    prepare(shouldYield) {
      for (const node of observed()) {
        if (node.prepared !== undefined) continue;
        node.prepared = editedKeys(node);
        if (shouldYield?.() === true) return false;
      }
      return true;
    },
    collect() {
      for (const node of observed()) {
        const deltas = deltasOf(node, node.prepared ?? editedKeys(node));
        if (deltas.length > 0) queue.push(() => node.subject?.next(deltas));
      }
      return drain;
    },
  };
}

/** Problems come last: they are of all nodes. */
function position(engine: Engine, node: Node): number {
  return node.shape.index < 0 ? engine.nodes.length : node.shape.index;
}
