/**
 * A persistent map sorted by key in code-unit order. Every version stays readable, an edit copies one chunk and the
 * (short) list of chunks, and two versions are compared in time proportional to what differs, since shared chunks are
 * skipped by identity. Sections, backends, map entries and files of a bundle live in these.
 */
export interface OrderedMap<V> {
  readonly size: number;
  readonly chunks: readonly Chunk<V>[];
}

/** An immutable run of entries; `keys` and `values` have the same length, at least one. */
export interface Chunk<V> {
  readonly keys: readonly string[];
  readonly values: readonly V[];
}

/** One difference between two versions; `undefined` on the side that lacks the key. */
export interface EntryChange<V> {
  readonly key: string;
  readonly before: V | undefined;
  readonly after: V | undefined;
}

const maxChunk = 128;
const idealChunk = 64;
/** Only a map of a single chunk may have a smaller one: deletes do not leave crumbs that every later edit has to walk. */
const minChunk = 32;
const empty: OrderedMap<never> = { size: 0, chunks: [] };

export function emptyOrderedMap<V>(): OrderedMap<V> {
  return empty;
}

/** Builds a map from entries in any order; a later duplicate key wins. O(n log n). */
export function orderedMapFrom<V>(entries: Iterable<readonly [string, V]>): OrderedMap<V> {
  return editOrderedMap(emptyOrderedMap<V>(), entries);
}

export function getEntry<V>(map: OrderedMap<V>, key: string): V | undefined {
  const chunk = map.chunks[chunkIndexFor(map.chunks, key)];
  if (chunk === undefined) return undefined;
  const at = lowerBound(chunk.keys, key);
  return chunk.keys[at] === key ? chunk.values[at] : undefined;
}

/** Entries in key order. */
export function* entriesOf<V>(map: OrderedMap<V>): Generator<readonly [string, V]> {
  for (const chunk of map.chunks) {
    for (let i = 0; i < chunk.keys.length; i++) yield [chunk.keys[i] as string, chunk.values[i] as V];
  }
}

export function* valuesOf<V>(map: OrderedMap<V>): Generator<V> {
  for (const chunk of map.chunks) yield* chunk.values;
}

/**
 * A new version with the edits applied; a value of `undefined` deletes. Edits may come in any order, the last one of a
 * key wins. Chunks without an edit are shared with the old version, which is itself the result where nothing changes. O(edits · log + chunks).
 */
export function editOrderedMap<V>(
  map: OrderedMap<V>,
  edits: Iterable<readonly [string, V | undefined]>,
): OrderedMap<V> {
  const wanted = new Map(edits);
  if (wanted.size === 0) return map;
  const sorted = [...wanted].sort((a, b) => compareKeys(a[0], b[0]));
  if (map.chunks.length === 0) {
    const kept = sorted.filter((edit): edit is [string, V] => edit[1] !== undefined);
    if (kept.length === 0) return map;
    return {
      size: kept.length,
      chunks: split(
        kept.map(([key]) => key),
        kept.map(([, value]) => value),
      ),
    };
  }
  const chunks: Chunk<V>[] = [];
  let size = map.size;
  let taken = 0;
  let changed = false;
  for (let from = 0; from < sorted.length;) {
    const index = chunkIndexFor(map.chunks, (sorted[from] as [string, V])[0]);
    const bound = map.chunks[index + 1]?.keys[0];
    let to = from + 1;
    while (to < sorted.length && (bound === undefined || (sorted[to] as [string, V])[0] < bound)) to++;
    const chunk = map.chunks[index] as Chunk<V>;
    const merged = mergeChunk(chunk, sorted, from, to);
    changed ||= merged !== chunk;
    size += merged.keys.length - chunk.keys.length;
    appendRun(chunks, map.chunks, taken, index);
    append(chunks, merged);
    taken = index + 1;
    from = to;
  }
  if (!changed) return map;
  appendRun(chunks, map.chunks, taken, map.chunks.length);
  return { size, chunks };
}

/** What differs from `before` to `after`, in key order. Shared chunks are skipped; values are compared by identity. */
export function* diffOrderedMaps<V>(before: OrderedMap<V>, after: OrderedMap<V>): Generator<EntryChange<V>> {
  const a = before.chunks;
  const b = after.chunks;
  // Chunk and position within it, on both sides.
  let ac = 0;
  let bc = 0;
  let ai = 0;
  let bi = 0;
  for (;;) {
    if (ai === 0 && bi === 0) {
      while (ac < a.length && a[ac] === b[bc]) {
        ac++;
        bc++;
      }
    }
    const left = a[ac];
    const right = b[bc];
    if (left === undefined && right === undefined) return;
    const leftKey = left?.keys[ai];
    const rightKey = right?.keys[bi];
    const order = compareEnds(leftKey, rightKey);
    const key = (order <= 0 ? leftKey : rightKey) as string;
    const was = order <= 0 ? left?.values[ai] : undefined;
    const is = order >= 0 ? right?.values[bi] : undefined;
    if (was !== is) yield { key, before: was, after: is };
    if (order <= 0 && ++ai === left?.keys.length) {
      ac++;
      ai = 0;
    }
    if (order >= 0 && ++bi === right?.keys.length) {
      bc++;
      bi = 0;
    }
  }
}

/** A side that has ended comes after every key. */
function compareEnds(a: string | undefined, b: string | undefined): number {
  if (a === undefined) return 1;
  return b === undefined ? -1 : compareKeys(a, b);
}

function mergeChunk<V>(
  chunk: Chunk<V>,
  edits: readonly (readonly [string, V | undefined])[],
  from: number,
  to: number,
): Chunk<V> {
  const keys: string[] = [];
  const values: V[] = [];
  let changed = false;
  let i = 0;
  const keep = (end: number) => {
    for (; i < end; i++) {
      keys.push(chunk.keys[i] as string);
      values.push(chunk.values[i] as V);
    }
  };
  for (let e = from; e < to; e++) {
    const [key, value] = edits[e] as readonly [string, V | undefined];
    keep(lowerBound(chunk.keys, key));
    const present = chunk.keys[i] === key;
    if (present && value === chunk.values[i]) continue;
    if (!present && value === undefined) continue;
    changed = true;
    if (present) i++;
    if (value !== undefined) {
      keys.push(key);
      values.push(value);
    }
  }
  keep(chunk.keys.length);
  return changed ? { keys, values } : chunk;
}

/** Adds a chunk at the end; one that is too small, or comes after one that is, is joined with its neighbour. */
function append<V>(chunks: Chunk<V>[], chunk: Chunk<V>): void {
  if (chunk.keys.length === 0) return;
  const before = chunks.at(-1);
  const small = (candidate: Chunk<V>) => candidate.keys.length < minChunk;
  if (before === undefined || !(small(before) || small(chunk))) {
    pushParts(chunks, chunk);
    return;
  }
  chunks.pop();
  pushParts(chunks, {
    keys: [...before.keys, ...chunk.keys],
    values: [...before.values, ...chunk.values],
  });
}

/** Adds chunks that no edit touched: only the first can meet a neighbour that is too small. */
function appendRun<V>(chunks: Chunk<V>[], source: readonly Chunk<V>[], from: number, to: number): void {
  if (from >= to) return;
  append(chunks, source[from] as Chunk<V>);
  for (let i = from + 1; i < to; i++) chunks.push(source[i] as Chunk<V>);
}

function pushParts<V>(chunks: Chunk<V>[], chunk: Chunk<V>): void {
  if (chunk.keys.length <= maxChunk) chunks.push(chunk);
  else for (const part of split(chunk.keys, chunk.values)) chunks.push(part);
}

/** Cuts a run into chunks of about the ideal length; their lengths differ by one at most. */
function split<V>(keys: readonly string[], values: readonly V[]): Chunk<V>[] {
  const parts = Math.ceil(keys.length / idealChunk);
  const cut = (i: number) => Math.floor((i * keys.length) / parts);
  return Array.from({ length: parts }, (_, i) => ({
    keys: keys.slice(cut(i), cut(i + 1)),
    values: values.slice(cut(i), cut(i + 1)),
  }));
}

/** Index of the only chunk that may hold `key`; 0 when the key is before all. */
function chunkIndexFor(chunks: readonly Chunk<unknown>[], key: string): number {
  let low = 0;
  let high = chunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (compareKeys(chunks[middle]?.keys[0] as string, key) <= 0) low = middle;
    else high = middle - 1;
  }
  return low;
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareKeys(keys[middle] as string, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Code-unit order, the same everywhere: never locale dependent. */
export function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
