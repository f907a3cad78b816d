/**
 * Who read what. A `Ref` stands for one derived entry; its `deps` are what its projector looked at, as a flat list of
 * (node index, key) pairs, where the key `undefined` is the node's membership. The reverse direction is a slot per key
 * that was read: the bare Ref while there is one reader, a Set from the second on. Both are built for memory: most
 * entries are read once, and there are tens of thousands of them.
 */
export interface Ref {
  readonly node: number;
  readonly key: string;
  deps: Deps;
}

export type Deps = readonly (number | string | undefined)[];
export type ReaderSlot = Ref | Set<Ref>;

export interface Readers {
  readonly byKey: Map<string, ReaderSlot>;
  readonly ofMembership: Set<Ref>;
}

export const noDeps: Deps = [];

export function createReaders(): Readers {
  return { byKey: new Map(), ofMembership: new Set() };
}

export function addReader(readers: Readers, key: string | undefined, ref: Ref): void {
  if (key === undefined) {
    readers.ofMembership.add(ref);
    return;
  }
  const slot = readers.byKey.get(key);
  if (slot === undefined) readers.byKey.set(key, ref);
  else if (slot instanceof Set) slot.add(ref);
  else if (slot !== ref) readers.byKey.set(key, new Set([slot, ref]));
}

export function removeReader(readers: Readers, key: string | undefined, ref: Ref): void {
  if (key === undefined) {
    readers.ofMembership.delete(ref);
    return;
  }
  const slot = readers.byKey.get(key);
  if (slot === ref) readers.byKey.delete(key);
  if (!(slot instanceof Set) || !slot.delete(ref)) return;
  // The first entry of a Set is looked for behind all those that were deleted: not for each reader of thousands.
  if (slot.size === 1) for (const last of slot) readers.byKey.set(key, last);
}

/** Takes out all readers whose node has this index or a higher one. */
export function forgetReaders(readers: Readers, from: number): void {
  if (from === 0) {
    readers.byKey.clear();
    readers.ofMembership.clear();
    return;
  }
  for (const ref of readers.ofMembership) if (ref.node >= from) readers.ofMembership.delete(ref);
  for (const [key, slot] of readers.byKey)
    if (slot instanceof Set) forgetRefs(readers, key, slot, from);
    else if (slot.node >= from) readers.byKey.delete(key);
}

function forgetRefs(readers: Readers, key: string, refs: ReadonlySet<Ref>, from: number): void {
  const kept = [...refs].filter((ref) => ref.node < from);
  const [first] = kept;
  if (first === undefined) readers.byKey.delete(key);
  else if (kept.length < refs.size) readers.byKey.set(key, kept.length === 1 ? first : new Set(kept));
}

export function forEachReader(slot: ReaderSlot | undefined, visit: (ref: Ref) => void): void {
  if (slot instanceof Set) slot.forEach(visit);
  else if (slot !== undefined) visit(slot);
}

/** Readers registered, each counted once per key or membership that it reads. */
export function countReaders(readers: Readers): number {
  let count = readers.ofMembership.size;
  for (const slot of readers.byKey.values()) count += slot instanceof Set ? slot.size : 1;
  return count;
}

export function forEachDep(deps: Deps, visit: (node: number, key: string | undefined) => void): void {
  for (let i = 0; i < deps.length; i += 2) {
    const node = deps[i];
    const key = deps[i + 1];
    if (typeof node === 'number' && typeof key !== 'number') visit(node, key);
  }
}

export function sameDeps(a: Deps, b: Deps): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** A membership test over deps: a scan while they are few, a table beyond. */
export function depLookup(deps: Deps): (node: number, key: string | undefined) => boolean {
  if (deps.length <= 32) return (node, key) => hasDep(deps, node, key);
  const table = new Map<number, Set<string | undefined>>();
  forEachDep(deps, (node, key) => {
    const keys = table.get(node);
    if (keys === undefined) table.set(node, new Set([key]));
    else keys.add(key);
  });
  return (node, key) => table.get(node)?.has(key) === true;
}

export function hasDep(deps: Deps, node: number, key: string | undefined): boolean {
  for (let i = 0; i < deps.length; i += 2) if (deps[i] === node && deps[i + 1] === key) return true;
  return false;
}
