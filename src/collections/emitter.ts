import type { Engine } from './engine.ts';
import { deltasOf, editedKeys } from './deltas.ts';
import type { Node } from './node.ts';

/** Hands the deltas of finished turns to whoever subscribed. Nodes without subscribers cost nothing. */
export interface Emitter {
  /** Makes the deltas, asking in between; false when told to yield. Does not look at anything twice. */
  prepare(shouldYield: (() => boolean) | undefined): boolean;
  /** Takes the deltas of the running turn, which are prepared; the returned function emits them. */
  collect(): () => void;
}

/** Keys between two questions. */
const batch = 256;

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
        node.prepared ??= { keys: editedKeys(node), deltas: [], next: 0 };
        for (let { prepared } = node; prepared.next < prepared.keys.length;) {
          const end = prepared.next + batch;
          prepared.deltas.push(...deltasOf(node, prepared.keys.slice(prepared.next, end)));
          prepared.next = end;
          if (shouldYield?.() === true) return false;
        }
      }
      return true;
    },
    collect() {
      for (const node of observed()) {
        const deltas = node.prepared?.deltas ?? [];
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
