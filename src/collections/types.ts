import type { Observable } from 'rxjs';
import type { Owner } from '../lib/owner.ts';
import type { Problem } from '../lib/problem.ts';
import type { NodeShape } from './node.ts';

/**
 * A keyed map that changes in turns. Handles are used inside projectors through {@link Reader} (tracked) and outside of
 * a turn through `peek`/`keys`/`size` (untracked: they show the last finished turn).
 */
export interface Collection<V> {
  readonly name: string;
  readonly size: number;
  peek(key: string): V | undefined;
  /** Keys in code-unit order; O(n log n) on the first call after a membership change. */
  keys(): readonly string[];
  /** One array per finished turn that changed something, in key order; never errors, never completes. Loss policy: none. */
  readonly deltas$: Observable<readonly Delta<V>[]>;
}

/** `before` is absent for a new entry, `after` for a deleted one. */
export interface Delta<V> {
  readonly key: string;
  readonly before?: V;
  readonly after?: V;
}

/** A collection written from outside: a watched store, or a constant. Changes take effect at the next turn. */
export interface SourceCollection<V> extends Collection<V> {
  set(key: string, value: V): void;
  delete(key: string): void;
  /** Atomic swap of the whole content (a relist): entries that are not in `entries` are deleted in the same turn. */
  replace(entries: Iterable<readonly [string, V]>): void;
}

/** A multi-valued secondary index over a collection: index key → entries, in key order. Kept on write. */
export interface Index<V> {
  readonly name: string;
  peek(indexKey: string): readonly V[];
}

/** What a projector may look at besides its own entry. Every look is tracked: it is the entry's dependency. */
export interface Reader {
  read<V>(collection: Collection<V>, key: string): V | undefined;
  readIndex<V>(index: Index<V>, indexKey: string): readonly V[];
  /** Tracked read of membership: the entry is recomputed whenever a key comes or goes. Stands out in review as such. */
  readKeys(collection: Collection<unknown>): readonly string[];
  /** Attaches a problem to this entry; it goes when the entry is recomputed or deleted. Identical ones are kept once. */
  report(problem: Problem): void;
  /** In a what-if, which may have no effects beside its result. Results must not depend on it. */
  readonly isWhatIf: boolean;
}

/** Pure. `undefined` means: no entry. A throw leaves the entry's last value in place and reports a Problem of its owner. */
export type Projector<In, Out> = (value: In, key: string, reader: Reader) => Out | undefined;
/**
 * Pure. Output keys should be unique over the whole collection; a key emitted by several entries goes to the one with the
 * smallest key, whatever came first, and the next one takes over when that goes. See {@link FlatOptions.duplicates}.
 */
export type FlatProjector<In, Out> = (
  value: In,
  key: string,
  reader: Reader,
) => Iterable<readonly [string, Out]>;

export interface DerivedOptions<In, Out> {
  /** Collections and indexes that the projector reads. Reading any other is an error; the graph draws these edges. */
  readonly reads?: readonly (Collection<unknown> | Index<unknown>)[];
  /** Early cutoff: equal results stop the turn there. Default: structural equality of plain data. */
  readonly equal?: (a: Out, b: Out) => boolean;
  /** Whom to blame for an entry when its projector throws. Default: kind = collection name, name = key. */
  readonly ownerOf?: (value: In, key: string) => Owner;
}

export interface FlatOptions<In, Out> extends DerivedOptions<In, Out> {
  /** `report` (default): every entry that lost a key gets a Problem (`DuplicateKey`). `expected`: losing is no news. */
  readonly duplicates?: 'report' | 'expected';
}

/**
 * The incremental engine: a static DAG of collections, advanced in turns. Pure and synchronous apart from the yielding
 * that its caller does between slices. Nodes can only read nodes that were made before them, so creation order is the
 * topological order.
 */
export interface Graph {
  source<V>(name: string, options?: { readonly equal?: (a: V, b: V) => boolean }): SourceCollection<V>;
  mapEntries<In, Out>(
    name: string,
    source: Collection<In>,
    project: Projector<In, Out>,
    options?: DerivedOptions<In, Out>,
  ): Collection<Out>;
  flatMapEntries<In, Out>(
    name: string,
    source: Collection<In>,
    project: FlatProjector<In, Out>,
    options?: FlatOptions<In, Out>,
  ): Collection<Out>;
  /** Groups entries by a key; a group's members are in key order, and a group without members does not exist. */
  groupEntriesBy<V>(
    name: string,
    source: Collection<V>,
    keyOf: (value: V, key: string) => string | undefined,
  ): Collection<readonly V[]>;
  indexBy<V>(
    name: string,
    source: Collection<V>,
    keysOf: (value: V, key: string) => Iterable<string>,
  ): Index<V>;
  /** All entries of several collections; keys are prefixed by nothing, so they must be disjoint: the earlier source wins and the clash is reported. */
  unionEntries<V>(name: string, ...sources: readonly Collection<V>[]): Collection<V>;

  /** True while a source has changes that no finished turn has taken in. */
  readonly dirty: boolean;
  /** Number of the last finished turn. */
  readonly revision: number;
  /**
   * Works on the current turn until it is finished or `shouldYield` says so (asked between entries).
   * Source changes made between two slices join the running turn; finished entries stay finished.
   * Readers and `deltas$` see nothing of a turn before it is finished.
   */
  advance(shouldYield?: () => boolean): 'finished' | 'yielded';
  /** Problems of all entries, by owner; changes with the turn. */
  readonly problems: Collection<Problem>;
  /**
   * A what-if: a graph of the same shape on which `overlay` is applied to the sources; shares everything that the overlay
   * does not touch, and leaves this graph alone. Handles of this graph are valid in the fork's `peek`.
   */
  fork(overlay: readonly SourceEdit[]): Fork;
  /** The same, not worked on yet: its caller advances it, so that a change that touches much does not hold up everything else. */
  forkInSlices(overlay: readonly SourceEdit[]): SlicedFork;
  /** Removes derived nodes made since `mark()`, with their readers and indexes: used when a config generation is replaced. */
  mark(): number;
  release(mark: number): void;
  /** Whether a handle is of this graph (for a layer: or of a graph below it), and not released. */
  has(handle: object): boolean;
  /** Whether an entry looks at this key of a collection of this very graph, as of what was computed so far. */
  isRead(collection: Collection<unknown>, key: string): boolean;
  /** The dependency graph as a mermaid flowchart. */
  toMermaid(): string;
  /** What it draws: the nodes of each graph that it is made of, those below first. */
  readonly parts: readonly (() => readonly NodeShape[])[];
  /** Counts of all that the graph holds, for tests of leaks and for metrics. O(size of the graph). */
  stats(): GraphStats;
}

export interface GraphStats {
  readonly nodes: readonly NodeStats[];
  readonly problems: number;
  /** Dependencies given up in the running turn and not dropped yet. 0 after a finished turn. */
  readonly pending: number;
}

export interface NodeStats {
  readonly name: string;
  readonly kind: string;
  readonly entries: number;
  /** All records kept for entries, bookkeeping included. */
  readonly records: number;
  /** What the last finished turn held, kept for the running one. 0 after a finished turn. */
  readonly undo: number;
  /** Readers registered on this node. */
  readonly readers: number;
  /** Entries of this node that read something, and how many looks they hold in all. */
  readonly reading: number;
  readonly looks: number;
  readonly dirty: number;
}

export interface SourceEdit {
  readonly collection: SourceCollection<never> | SourceCollection<unknown>;
  readonly key: string;
  /** `undefined` deletes. */
  readonly value: unknown;
}

export interface Fork {
  peek<V>(collection: Collection<V>, key: string): V | undefined;
  /** Differences to the parent, per collection. */
  changes<V>(collection: Collection<V>): readonly Delta<V>[];
  readonly problems: readonly Problem[];
  /** What it changes about the problems: O(this). */
  readonly problemChanges: readonly Delta<Problem>[];
}

/** A what-if that is worked on as a turn is. Until it is finished, nothing can be looked at. */
export interface SlicedFork extends Fork {
  /** False once the graph below has moved on: such a fork is of no use any more. */
  readonly isCurrent: boolean;
  /** Works until all is done or `shouldYield` (asked between entries) says so. */
  advance(shouldYield?: () => boolean): 'finished' | 'yielded';
}

export interface GraphOptions {
  /** Test mode: runs every projector twice and in shuffled order, and throws when results differ. */
  readonly checkPurity?: { readonly seed: number };
}
