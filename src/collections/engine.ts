import { CodedError } from '../lib/coded-error.ts';
import type { Node } from './node.ts';
import type { ProblemBook } from './problem-book.ts';
import type { PurityCheck } from './purity.ts';
import {
  addReader,
  depLookup,
  type Deps,
  forEachDep,
  forEachReader,
  noDeps,
  removeReader,
  sameDeps,
} from './readers.ts';
import type { Frame } from './tracked-run.ts';
import { turnCommit, turnGet, turnWrite } from './turn-map.ts';
import type { Reader } from './types.ts';

/** The mutable state of one graph (or fork): its nodes and the running turn. */
export interface Engine {
  readonly nodes: Node[];
  readonly problems: ProblemBook;
  readonly purity: PurityCheck | undefined;
  readonly reader: Reader;
  /** The projector that is running, if any. */
  frame: Frame | undefined;
  /** No node below this index is dirty. */
  low: number;
  /** A turn has begun: something changed since the last finished one. */
  open: boolean;
  /** Identity of the running turn: what carries it may be changed in place. */
  turn: object;
  /** Nodes with state written in this turn. */
  readonly touched: Set<Node>;
  /**
   * Dependencies given up in this turn, which are dropped after its end, so that forks of the last finished turn find them; between turns
   * those that are still to be dropped.
   */
  readonly unreads: (() => void)[];
}

/** Throws inside of a projector: what it does there could not be tracked. */
export function refuseInProjector(engine: Engine, what: string): void {
  if (engine.frame === undefined) return;
  throw new CodedError(
    'HAPTIC_ERR_COLLECTIONS_UNTRACKED',
    `${what} inside the projector of "${engine.frame.node.shape.name}": use its reader`,
  );
}

export function nodeAt(engine: Engine, index: number): Node {
  const node = engine.nodes[index];
  if (node === undefined) throw new Error(`no node ${index}`);
  return node;
}

export function markDirty(engine: Engine, index: number, key: string): void {
  const node = engine.nodes[index];
  if (node === undefined) return;
  node.dirty.add(key);
  if (index < engine.low) engine.low = index;
  engine.open = true;
}

/** Tells everything below that `key` of `node` changed; `membership` when it came or went. */
export function propagate(engine: Engine, node: Node, key: string, membership: boolean): void {
  engine.open = true;
  engine.touched.add(node);
  node.prepared = undefined;
  if (membership) node.sortedKeys.noteMembership(key);
  for (const child of node.children) markDirty(engine, child, key);
  for (let holder: Node | undefined = node; holder !== undefined; holder = holder.parent) {
    forEachReader(holder.readers.byKey.get(key), (ref) => markDirty(engine, ref.node, ref.key));
    if (!membership) continue;
    for (const ref of holder.readers.ofMembership) markDirty(engine, ref.node, ref.key);
  }
}

/** Writes an entry unless it equals what is there; `undefined` deletes. */
export function putValue(engine: Engine, node: Node, key: string, value: unknown): void {
  const before = turnGet(node.values, key);
  if (before === value) return;
  if (before !== undefined && value !== undefined && node.equal(before, value)) return;
  turnWrite(node.values, key, value);
  propagate(engine, node, key, before === undefined || value === undefined);
}

/** Replaces what the entry depends on. */
export function putDeps(engine: Engine, node: Node, key: string, deps: Deps): void {
  let ref = node.refs.get(key);
  if (ref === undefined) {
    if (deps.length === 0) return;
    ref = { node: node.shape.index, key, deps: noDeps };
    node.refs.set(key, ref);
  }
  const reader = ref;
  const given = reader.deps;
  if (sameDeps(given, deps)) return;
  reader.deps = deps;
  forEachDep(deps, (index, read) => {
    const target = engine.nodes[index];
    if (target !== undefined) addReader(target.readers, read, reader);
  });
  if (deps.length === 0) node.refs.delete(key);
  if (given.length === 0) return;
  engine.open = true;
  engine.unreads.push(() => {
    const stillRead = depLookup(reader.deps);
    forEachDep(given, (index, read) => {
      const target = engine.nodes[index];
      if (target !== undefined && !stillRead(index, read)) removeReader(target.readers, read, reader);
    });
  });
}

/**
 * Brings dirty entries up to date, lowest node first, until none is left or `shouldYield` (asked between entries) says
 * so. A source written between two calls lowers `engine.low`, so the next call starts there; what it does not reach again
 * is not recomputed. An entry counts as done only after it was taken in, so an escaping error loses nothing.
 */
export function sweep(engine: Engine, shouldYield: (() => boolean) | undefined): boolean {
  for (;;) {
    const node = engine.nodes[engine.low];
    if (node === undefined) return true;
    if (node.dirty.size === 0) {
      engine.low++;
      continue;
    }
    engine.touched.add(node);
    if (engine.purity !== undefined) engine.purity.advance(node);
    for (const key of node.dirty) {
      node.apply(key, node.evaluate(key));
      node.dirty.delete(key);
      if (shouldYield?.() === true) return false;
    }
  }
}

/** Dependencies that are dropped with the end of their turn; where more were given up, the next turn begins with the others. */
const droppedAtOnce = 1_024;
const droppedBetweenQuestions = 64;

/**
 * Drops what finished turns gave up, asking in between; false when told to yield. To be called before anything is given up anew: a
 * reader too many costs a computation that changes nothing, one too few would be a change that is missed.
 */
export function dropUnreads(engine: Engine, shouldYield: (() => boolean) | undefined): boolean {
  while (engine.unreads.length > 0) {
    for (const unread of engine.unreads.splice(-droppedBetweenQuestions)) unread();
    if (shouldYield?.() === true) return engine.unreads.length === 0;
  }
  return true;
}

/** Makes the running turn the finished one. */
export function commitTurn(engine: Engine): void {
  for (const unread of engine.unreads.splice(-droppedAtOnce)) unread();
  for (const node of engine.touched) {
    node.settle?.();
    for (const map of node.turnMaps) turnCommit(map);
    node.sortedKeys.commit();
    node.prepared = undefined;
  }
  engine.touched.clear();
  engine.turn = {};
  engine.open = false;
}
