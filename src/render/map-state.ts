import { editOrderedMap, emptyOrderedMap, getEntry, type OrderedMap } from '../lib/ordered-map.ts';
import type { Problem } from '../lib/problem.ts';
import { ropeBytes, ropeDigest, ropeSize } from '../lib/rope.ts';
import type { MapEntry, PlanFile } from '../protocol/plan.ts';
import { createClaims } from './claims.ts';
import { conflictsOf, type Claimed } from './claimed.ts';
import type { EntryPart } from '../protocol/output.ts';

/** The entries of one map file as they change. */
export interface MapState {
  put(rank: string, part: EntryPart): void;
  drop(rank: string, part: EntryPart): void;
  /** Takes in what changed; problems by key, for keys whose claims changed. */
  flush(): ReadonlyMap<string, readonly Problem[]>;
  readonly entries: OrderedMap<MapEntry>;
}

/** Keys are unique: the entry of the least rank is in the map. Order does not matter, the file is sorted by key. */
export function createUnorderedMap(path: string): MapState {
  const claims = createClaims<Claimed<MapEntry>>();
  let entries = emptyOrderedMap<MapEntry>();
  return {
    put: (rank, { entry, place }) =>
      claims.put(entry.key, {
        rank,
        value: { item: entry, content: entry.value, owner: entry.owner, place },
      }),
    drop: (rank, { entry }) => claims.drop(entry.key, rank),
    flush: () => {
      const problems = new Map<string, readonly Problem[]>();
      const edits = new Map<string, MapEntry | undefined>();
      for (const settlement of claims.settle()) {
        const { name, after } = settlement;
        problems.set(name, conflictsOf(`key of ${path}`, 'MapKeyConflict', settlement));
        editUnlessEqual(edits, entries, name, after?.value.item);
      }
      entries = editOrderedMap(entries, edits);
      return problems;
    },
    get entries() {
      return entries;
    },
  };
}

/** Entries stand in print order and keys may repeat, as in maps of regular expressions, of which the first match counts. */
export function createOrderedEntries(): MapState {
  const edits = new Map<string, MapEntry | undefined>();
  let entries = emptyOrderedMap<MapEntry>();
  return {
    put: (rank, { entry }) => editUnlessEqual(edits, entries, rank, entry),
    drop: (rank) => editUnlessEqual(edits, entries, rank, undefined),
    flush: () => {
      entries = editOrderedMap(entries, edits);
      edits.clear();
      return new Map();
    },
    get entries() {
      return entries;
    },
  };
}

/** An equal entry stays the same object, so that versions of a map differ in what changed and nothing else. */
function editUnlessEqual(
  edits: Map<string, MapEntry | undefined>,
  entries: OrderedMap<MapEntry>,
  key: string,
  entry: MapEntry | undefined,
): void {
  const held = getEntry(entries, key);
  if (held === entry || (held !== undefined && entry !== undefined && sameEntry(held, entry)))
    edits.delete(key);
  else edits.set(key, entry);
}

function sameEntry(a: MapEntry, b: MapEntry): boolean {
  return a.text === b.text && sameOwner(a.owner, b.owner);
}

export function sameOwner(a: MapEntry['owner'], b: MapEntry['owner']): boolean {
  return a === b || (a?.kind === b?.kind && a?.namespace === b?.namespace && a?.name === b?.name);
}

export function mapFileOf(path: string, entries: OrderedMap<MapEntry>): PlanFile {
  return {
    path,
    kind: 'map',
    reloadOnChange: false,
    digest: ropeDigest(entries),
    size: ropeSize(entries),
    content: () => ropeBytes(entries),
  };
}
