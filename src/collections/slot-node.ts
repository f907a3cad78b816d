import { type Engine, nodeAt, putDeps } from './engine.ts';
import { equalData } from './equal-data.ts';
import { createNodeState, type Node, type NodeShape } from './node.ts';
import { ownerOfEntry } from './entry-options.ts';
import { putProblems } from './problem-book.ts';
import { noDeps } from './readers.ts';
import { membersOf, putMember, removeMember, settleSlots, type Slot, type SlotNode } from './slots.ts';
import { runTracked } from './tracked-run.ts';
import { createTurnMap, turnCommitted, turnGet, type TurnMap, turnWrite } from './turn-map.ts';

export interface SlotDefinition {
  /** Index of the source node. */
  readonly source: number;
  slotsOf(value: unknown, key: string): Iterable<string>;
}

/** The slots that one source entry is in: bare while there is one. */
type Membership = string | readonly string[];

/** Groups and indexes: entries of the source under keys made from them. */
export function createSlotNode(
  engine: Engine,
  shape: NodeShape,
  definition: SlotDefinition,
  parent?: Node,
  inherited?: TurnMap<Membership>,
): Node {
  const source = nodeAt(engine, definition.source);
  const state = createNodeState(shape, parent);
  const memberships = createTurnMap(inherited);
  const unsettled = new Set<Slot>();
  const node: SlotNode = {
    ...state,
    unsettled,
    read: (key) => exposed(turnGet(state.values, key)),
    committed: (key) => exposed(turnCommitted(state.values, key)),
    equal: equalData,
    sameValue: equalData,
    evaluate(key) {
      const value = source.read(key);
      if (value === undefined) return undefined;
      const owner = () => ownerOfEntry({}, shape.name, value, key);
      return runTracked(engine, node, owner, () => [...new Set(definition.slotsOf(value, key))]);
    },
    apply(key, outcome) {
      putDeps(engine, node, key, outcome?.deps ?? noDeps);
      putProblems(engine, node, state.problems, key, outcome?.problems ?? []);
      if (outcome?.failed === true) return;
      const before = new Set(listOf(turnGet(memberships, key)));
      const after = outcome === undefined ? [] : (outcome.value as readonly string[]);
      const value = source.read(key);
      const staying = new Set(after);
      for (const slot of before) if (!staying.has(slot)) removeMember(engine, node, slot, key);
      for (const slot of after) putMember(engine, node, slot, key, value, !before.has(slot));
      const [only] = after;
      turnWrite(memberships, key, after.length > 1 ? after : only);
    },
    problemMaps: [state.problems],
    settle: () => {
      settleSlots(unsettled);
    },
    turnMaps: [state.values, state.problems, memberships],
    fork: (forked) => createSlotNode(forked, shape, definition, node, memberships),
  };
  return node;
}

function exposed(slot: unknown): readonly unknown[] | undefined {
  return slot === undefined ? undefined : membersOf(slot);
}

function listOf(membership: Membership | undefined): readonly string[] {
  if (membership === undefined) return [];
  return typeof membership === 'string' ? [membership] : membership;
}
