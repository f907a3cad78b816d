import { type Engine, propagate } from './engine.ts';
import type { Node } from './node.ts';
import { lowerBound } from './sorted-keys.ts';
import { turnGet, turnWrite } from './turn-map.ts';

/**
 * The members of one group or index key, in key order. Edits are collected and merged on the first look, so a burst of n
 * into one slot costs one merge and not n copies. The arrays are never changed once they are here: readers keep them.
 */
export interface Slot {
  keys: readonly string[];
  values: readonly unknown[];
  /** Flat (key, value) pairs not merged yet; `undefined` removes; the last pair of a key counts. */
  edits: unknown[];
  count: number;
  /** The turn that may add edits to this very object; a later one makes its own. */
  readonly turn: object;
}

/** A node whose values are Slots. */
export interface SlotNode extends Node {
  /** Slots with edits that nobody has looked at yet. */
  readonly unsettled: Set<Slot>;
}

const noEdits: unknown[] = [];
const fewEdits = 16;

/** Puts a member in or replaces its value. */
export function putMember(
  engine: Engine,
  node: SlotNode,
  slotKey: string,
  member: string,
  value: unknown,
  isNew: boolean,
): void {
  const before = turnGet(node.values, slotKey);
  if (before === undefined) {
    const slot: Slot = { keys: [member], values: [value], edits: noEdits, count: 1, turn: engine.turn };
    turnWrite(node.values, slotKey, slot);
    propagate(engine, node, slotKey, true);
    return;
  }
  edit(engine, node, slotKey, slotOf(before), member, value, isNew ? 1 : 0);
}

export function removeMember(engine: Engine, node: SlotNode, slotKey: string, member: string): void {
  const before = turnGet(node.values, slotKey);
  if (before === undefined) return;
  const slot = slotOf(before);
  if (slot.count > 1) {
    edit(engine, node, slotKey, slot, member, undefined, -1);
    return;
  }
  turnWrite(node.values, slotKey, undefined);
  propagate(engine, node, slotKey, true);
}

/** All members, in key order. */
export function membersOf(stored: unknown): readonly unknown[] {
  const slot = slotOf(stored);
  if (slot.edits.length > 0) merge(slot);
  return slot.values;
}

/** Merges what nobody looked at: a slot must not hold on to members of former turns. */
export function settleSlots(unsettled: Set<Slot>): void {
  for (const slot of unsettled) if (slot.edits.length > 0) merge(slot);
  unsettled.clear();
}

/** The values of group and index nodes are Slots; nothing else writes there. */
function slotOf(stored: unknown): Slot {
  return stored as Slot;
}

function edit(
  engine: Engine,
  node: SlotNode,
  slotKey: string,
  before: Slot,
  member: string,
  value: unknown,
  growth: number,
): void {
  let slot = before;
  if (before.turn !== engine.turn) {
    if (before.edits.length > 0) merge(before);
    slot = { ...before, turn: engine.turn };
    turnWrite(node.values, slotKey, slot);
  }
  if (slot.edits.length === 0) slot.edits = [];
  node.unsettled.add(slot);
  slot.edits.push(member, value);
  slot.count += growth;
  propagate(engine, node, slotKey, false);
}

function merge(slot: Slot): void {
  const edits = slot.edits;
  slot.edits = noEdits;
  if (edits.length > 2 * fewEdits) {
    mergeMany(slot, edits);
    return;
  }
  const keys = slot.keys.slice();
  const values = slot.values.slice();
  for (let i = 0; i < edits.length; i += 2) {
    const key = String(edits[i]);
    const value = edits[i + 1];
    const at = lowerBound(keys, key);
    const listed = keys[at] === key;
    if (value === undefined) {
      if (!listed) continue;
      keys.splice(at, 1);
      values.splice(at, 1);
    } else if (listed) {
      values[at] = value;
    } else {
      keys.splice(at, 0, key);
      values.splice(at, 0, value);
    }
  }
  slot.keys = keys;
  slot.values = values;
}

function mergeMany(slot: Slot, edits: readonly unknown[]): void {
  const latest = new Map<string, unknown>();
  for (let i = 0; i < edits.length; i += 2) latest.set(String(edits[i]), edits[i + 1]);
  const edited = [...latest.keys()].sort();
  const keys: string[] = [];
  const values: unknown[] = [];
  let at = 0;
  const keep = (end: number) => {
    for (; at < end; at++) {
      keys.push(slot.keys[at] ?? '');
      values.push(slot.values[at]);
    }
  };
  for (const key of edited) {
    keep(lowerBound(slot.keys, key));
    if (slot.keys[at] === key) at++;
    const value = latest.get(key);
    if (value === undefined) continue;
    keys.push(key);
    values.push(value);
  }
  keep(slot.keys.length);
  slot.keys = keys;
  slot.values = values;
}
