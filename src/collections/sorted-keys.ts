import { turnCommitted, turnEdits, turnGet, type TurnMap } from './turn-map.ts';

/**
 * Keys of a TurnMap in code-unit order. Sorted on first demand; afterwards a few comings and goings are patched in, so
 * asking once per turn costs a copy of pointers and not a sort. Nothing is done for a map that nobody asks.
 */
export interface SortedKeys {
  /** Must be called whenever a key came or went. */
  noteMembership(key: string): void;
  /** Keys in the running turn. */
  now(): readonly string[];
  /** Keys in the last finished turn. */
  committed(): readonly string[];
  /** Must be called when a turn is finished. */
  commit(): void;
  /** Forgets everything: the map was emptied. */
  reset(): void;
  /** Did a key come or go in the running turn? */
  readonly changed: boolean;
}

const maxPatches = 64;

export function createSortedKeys(map: TurnMap<unknown>, base?: SortedKeys): SortedKeys {
  let cache: readonly string[] | undefined;
  let patches: string[] = [];
  let before: readonly string[] | undefined;
  let changed = false;

  const now = (): readonly string[] => {
    if (cache === undefined)
      cache = base === undefined ? sortedKeysOf(map) : patched(base.committed(), turnEdits(map), map);
    else if (patches.length > 0) cache = patched(cache, patches, map);
    patches = [];
    return cache;
  };

  return {
    get changed() {
      return changed;
    },
    noteMembership(key) {
      if (!changed) before = patches.length === 0 ? cache : undefined;
      changed = true;
      if (cache === undefined) return;
      if (patches.length < maxPatches) patches.push(key);
      else {
        cache = undefined;
        patches = [];
      }
    },
    now,
    committed() {
      if (!changed) return now();
      before ??= committedKeysOf(map);
      return before;
    },
    commit() {
      before = undefined;
      changed = false;
    },
    reset() {
      cache = undefined;
      patches = [];
      before = undefined;
      changed = false;
    },
  };
}

function sortedKeysOf(map: TurnMap<unknown>): readonly string[] {
  return [...map.current.keys()].sort();
}

function committedKeysOf(map: TurnMap<unknown>): readonly string[] {
  if (map.committedSize === 0) return [];
  const keys = new Set(map.current.keys());
  for (const key of turnEdits(map)) {
    if (turnCommitted(map, key) === undefined) keys.delete(key);
    else keys.add(key);
  }
  return [...keys].sort();
}

function patched(keys: readonly string[], edits: Iterable<string>, map: TurnMap<unknown>): readonly string[] {
  const result = keys.slice();
  for (const key of edits) {
    const at = lowerBound(result, key);
    const listed = result[at] === key;
    const present = turnGet(map, key) !== undefined;
    if (present && !listed) result.splice(at, 0, key);
    else if (!present && listed) result.splice(at, 1);
  }
  return result;
}

/** First position in sorted `keys` whose key is not before `key`. */
export function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const candidate = keys[middle];
    if (candidate !== undefined && candidate < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
