import { flat } from '../lib/flat.ts';

/**
 * A map that remembers what the last finished turn held while the running turn writes to it, at the cost of one undo
 * record per changed key; finishing a turn is O(1). With a `base` it is a what-if: its own writes over the base's last
 * finished turn, which it never touches. `undefined` is not a value: writing it deletes.
 */
export interface TurnMap<V> {
  /** Without a base never holds `undefined`; with one, `undefined` hides the base's entry. */
  readonly current: Map<string, V | undefined>;
  undo: Map<string, V | undefined> | undefined;
  size: number;
  committedSize: number;
  readonly base: TurnMap<V> | undefined;
}

export function createTurnMap<V>(base?: TurnMap<V>): TurnMap<V> {
  const size = base?.committedSize ?? 0;
  return { current: new Map(), undo: undefined, size, committedSize: size, base };
}

/** The value in the running turn. */
export function turnGet<V>(map: TurnMap<V>, key: string): V | undefined {
  const value = map.current.get(key);
  if (value !== undefined || map.base === undefined || map.current.has(key)) return value;
  return turnCommitted(map.base, key);
}

/** The value in the last finished turn; of a what-if: the value in its base. */
export function turnCommitted<V>(map: TurnMap<V>, key: string): V | undefined {
  if (map.base !== undefined) return turnCommitted(map.base, key);
  if (map.committedSize === 0) return undefined;
  if (map.undo?.has(key) === true) return map.undo.get(key);
  return map.current.get(key);
}

export function turnWrite<V>(map: TurnMap<V>, key: string, value: V | undefined): void {
  const before = turnGet(map, key);
  if (before === undefined && value === undefined) return;
  if (before === undefined) {
    map.size++;
    // Keys are mostly composed of parts, and stay as long as their entries.
    flat(key);
  } else if (value === undefined) map.size--;
  if (map.base !== undefined) {
    map.current.set(key, value);
    return;
  }
  // A map that was empty needs no undo records: nothing was committed. This is what a cold load saves.
  if (map.committedSize > 0) {
    map.undo ??= new Map();
    if (!map.undo.has(key)) map.undo.set(key, before);
  }
  if (value === undefined) map.current.delete(key);
  else map.current.set(key, value);
}

/** Keys that may differ from the last finished turn (of a what-if: from its base), in no particular order. */
export function turnEdits(map: TurnMap<unknown>): Iterable<string> {
  if (map.base !== undefined || map.committedSize === 0) return map.current.keys();
  return map.undo?.keys() ?? [];
}

/** Upper bound of how many keys {@link turnEdits} has. */
export function turnEditCount(map: TurnMap<unknown>): number {
  return map.base !== undefined || map.committedSize === 0 ? map.current.size : (map.undo?.size ?? 0);
}

/** Makes the running turn's content the finished one. */
export function turnCommit(map: TurnMap<unknown>): void {
  map.undo = undefined;
  map.committedSize = map.size;
}
