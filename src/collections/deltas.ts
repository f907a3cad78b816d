import type { Node } from './node.ts';
import { turnCommitted, turnEditCount, turnEdits, turnGet } from './turn-map.ts';
import type { Delta } from './types.ts';

/** Keys of a node that may have changed in the running turn (of a fork: from its parent), in key order. */
export function editedKeys(node: Node): readonly string[] {
  return turnEditCount(node.values) === 0 ? [] : [...turnEdits(node.values)].sort();
}

/** What became of `keys` from the last finished turn to the running one; what came back to what it was is left out. */
export function deltasOf(node: Node, keys: readonly string[]): readonly Delta<unknown>[] {
  return keys.flatMap((key): readonly Delta<unknown>[] => {
    if (turnGet(node.values, key) === turnCommitted(node.values, key)) return [];
    const before = node.committed(key);
    const after = node.read(key);
    if (before === after) return [];
    if (before === undefined) return [{ key, after }];
    if (after === undefined) return [{ key, before }];
    return node.equal(before, after) ? [] : [{ key, before, after }];
  });
}
