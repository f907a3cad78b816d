import { diffOrderedMaps, valuesOf } from '../lib/ordered-map.ts';
import type { Slices } from '../lib/slices.ts';
import { cliWord, isSafeMapKey, isSafeMapValue } from '../protocol/safe-token.ts';
import { readMapLine } from '../protocol/map-line.ts';
import { limits } from '../protocol/limits.ts';
import type { Operation } from '../protocol/operation.ts';
import type { MapEntry, PlanMap } from '../protocol/plan.ts';
import { sameMapEntry } from './same-record.ts';

export interface MapOperations {
  readonly upserts: readonly Operation[];
  readonly replace: readonly Operation[];
  readonly deletes: readonly Operation[];
  /** Why the map cannot be brought to its next content at runtime, as the end of a sentence; then there are no operations. */
  readonly obstacle?: string;
}

/** Entries between two pauses. */
const batch = 256;

const nothing: MapOperations = { upserts: [], replace: [], deletes: [] };

/**
 * Rule R5: the operations that make a loaded map equal to `after`, single ones where that gives the same map, else one
 * `map_replace` (a transaction that reads the file). A replaced value is never deleted in between. More single changes than a
 * batch holds are cheaper as one replacement.
 */
export function* mapOperations(before: PlanMap, after: PlanMap): Slices<MapOperations> {
  if (before.ordered !== after.ordered) return yield* replaced(after);
  const single = after.ordered ? orderedOperations(before, after) : yield* unorderedOperations(before, after);
  yield;
  if (single === undefined || areMany(single)) return yield* replaced(after);
  return single;
}

function areMany({ upserts, deletes }: Pick<MapOperations, 'upserts' | 'deletes'>): boolean {
  return upserts.length + deletes.length > limits.operationsPerBatch;
}

/** The agent reads the map's file for it, so what counts is the printed text. */
function* replaced({ path, entries }: PlanMap): Slices<MapOperations> {
  let count = 0;
  for (const { key, text } of valuesOf(entries)) {
    if (!text.split('\n').every(isSayableLine))
      return {
        ...nothing,
        obstacle: `its entry ${JSON.stringify(key.slice(0, 80))} cannot be said in a runtime command`,
      };
    if (++count % batch === 0) yield;
  }
  return { ...nothing, replace: [{ kind: 'map_replace', path }] };
}

/** A line is not divided, and a payload needs some room for its command. */
function isSayableLine(raw: string): boolean {
  const line = readMapLine(raw);
  if (line.kind !== 'entry') return line.kind === 'nothing';
  return Buffer.byteLength(line.key) + Buffer.byteLength(line.value) + 2 < limits.payloadContentBytes;
}

/** Undefined, too, once there are more than a batch holds: what comes after is not looked at. */
function* unorderedOperations(before: PlanMap, after: PlanMap): Slices<MapOperations | undefined> {
  const { path } = after;
  const upserts: Operation[] = [];
  const deletes: Operation[] = [];
  for (const change of diffOrderedMaps(before.entries, after.entries)) {
    if (change.after === undefined) {
      if (!isSayableKey(change.before?.key ?? change.key)) return undefined;
      deletes.push({ kind: 'map_del', path, key: change.before?.key ?? change.key });
    } else if (change.before === undefined) {
      if (!isSayable(change.after)) return undefined;
      upserts.push(addOf(path, change.after));
    } else if (!sameMapEntry(change.before, change.after)) {
      if (!isSayable(change.after) || change.before.key !== change.after.key) return undefined;
      upserts.push(setOf(path, change.after));
    }
    if (areMany({ upserts, deletes })) return undefined;
    if ((upserts.length + deletes.length) % batch === 0) yield;
  }
  return { ...nothing, upserts, deletes };
}

/**
 * The kept entries must be in the same order, and new ones come after them. A key that is deleted, set or added must
 * occur once, since the runtime commands name entries by key alone. O(n): the order is in no index.
 */
function orderedOperations(before: PlanMap, after: PlanMap): MapOperations | undefined {
  const { path } = after;
  const held = [...valuesOf(before.entries)];
  const wanted = [...valuesOf(after.entries)];
  const heldKeys = countKeys(held);
  const wantedKeys = countKeys(wanted);
  const upserts: Operation[] = [];
  const deletes: Operation[] = [];
  let next = 0;
  for (const entry of held) {
    const match = wanted[next];
    if (match?.key === entry.key) {
      next++;
      if (match.value === entry.value) continue;
      if (!isSayable(match) || heldKeys.get(entry.key) !== 1 || wantedKeys.get(entry.key) !== 1)
        return undefined;
      upserts.push(setOf(path, match));
    } else {
      if (!isSayableKey(entry.key) || wantedKeys.has(entry.key) || heldKeys.get(entry.key) !== 1)
        return undefined;
      deletes.push({ kind: 'map_del', path, key: entry.key });
    }
  }
  for (const entry of wanted.slice(next)) {
    if (!isSayable(entry) || heldKeys.has(entry.key)) return undefined;
    upserts.push(addOf(path, entry));
  }
  return { ...nothing, upserts, deletes };
}

function countKeys(entries: readonly MapEntry[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { key } of entries) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Whether a runtime command can say this entry; a map's file may hold more, which only a replacement brings in. */
function isSayable({ key, value }: MapEntry): boolean {
  return isSayableKey(key) && isSafeMapValue(value) && isShort(value);
}

function isSayableKey(key: string): boolean {
  return isSafeMapKey(key) && isShort(key);
}

function isShort(text: string): boolean {
  return Buffer.byteLength(cliWord(text)) <= limits.commandLineBytes / 3;
}

function addOf(path: string, { key, value }: MapEntry): Operation {
  return { kind: 'map_add', path, key, value };
}

function setOf(path: string, { key, value }: MapEntry): Operation {
  return { kind: 'map_set', path, key, value };
}
