import type { Subject } from 'rxjs';
import type { Problem } from '../lib/problem.ts';
import type { Engine } from './engine.ts';
import { createReaders, type Deps, type Readers, type Ref } from './readers.ts';
import { createSortedKeys, type SortedKeys } from './sorted-keys.ts';
import { createTurnMap, turnCommitted, turnGet, type TurnMap } from './turn-map.ts';
import type { Delta } from './types.ts';

export type NodeKind = 'source' | 'map' | 'flatMap' | 'group' | 'index' | 'union' | 'problems';

/** What a node is, whatever engine (graph or fork) it runs in. Other nodes are named by their index. */
export interface NodeShape {
  readonly index: number;
  readonly name: string;
  readonly kind: NodeKind;
  readonly sources: readonly number[];
  readonly reads: ReadonlySet<number>;
}

/** The result of running a node's user code for one entry, with everything that it looked at and reported. */
export interface Outcome {
  readonly value: unknown;
  /** The code threw: `value` is meaningless, the entry keeps what it had. */
  readonly failed: boolean;
  readonly problems: readonly Problem[];
  readonly deps: Deps;
}

/** Deltas in the making. */
export interface PreparedDeltas {
  /** In order. */
  readonly keys: readonly string[];
  /** Of the keys before `next`. */
  readonly deltas: Delta<unknown>[];
  next: number;
}

/** One node's state in one engine. Everything that a turn changes lives in TurnMaps, or only grows until the turn is finished. */
export interface NodeState {
  readonly shape: NodeShape;
  /** Nodes that have this one as a source; shared with forks. */
  readonly children: number[];
  readonly parent: Node | undefined;
  readonly dirty: Set<string>;
  readonly readers: Readers;
  /** Entries of this node that read something. */
  readonly refs: Map<string, Ref>;
  readonly values: TurnMap<unknown>;
  /** Problem keys by entry key. */
  readonly problems: TurnMap<readonly string[]>;
  readonly sortedKeys: SortedKeys;
  /** This turn's deltas, once begun with; any further change drops them. */
  prepared: PreparedDeltas | undefined;
  subject: Subject<readonly Delta<unknown>[]> | undefined;
}

export interface Node extends NodeState {
  /** The value in the running turn. */
  read(key: string): unknown;
  /** The value in the last finished turn. */
  committed(key: string): unknown;
  equal(a: unknown, b: unknown): boolean;
  /** Runs the user code for an entry; `undefined` when its source entry is gone. Changes nothing. */
  evaluate(key: string): Outcome | undefined;
  /** Takes an outcome in and tells the nodes below. */
  apply(key: string, outcome: Outcome | undefined): void;
  /** Are two outcomes' values the same? For the purity check. */
  sameValue(a: unknown, b: unknown): boolean;
  /** Problem keys by what reported them; a subset of `turnMaps`. */
  readonly problemMaps: readonly TurnMap<readonly string[]>[];
  /** All state that a turn changes. */
  readonly turnMaps: readonly TurnMap<unknown>[];
  /** Called when a turn is finished: drops what only the running turn needed. */
  settle?(): void;
  /** The same node in a what-if engine. */
  fork(engine: Engine): Node;
}

export function createNodeState(shape: NodeShape, parent: Node | undefined): NodeState {
  const values = createTurnMap(parent?.values);
  return {
    shape,
    children: parent?.children ?? [],
    parent,
    dirty: new Set(),
    readers: createReaders(),
    refs: new Map(),
    values,
    problems: createTurnMap(parent?.problems),
    sortedKeys: createSortedKeys(values, parent?.sortedKeys),
    prepared: undefined,
    subject: undefined,
  };
}

/** The part of a node that is the same for all kinds whose stored value is the entry's value. */
export function plainAccess(state: NodeState): Pick<Node, 'read' | 'committed'> {
  return {
    read: (key) => turnGet(state.values, key),
    committed: (key) => turnCommitted(state.values, key),
  };
}
