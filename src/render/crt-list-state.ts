import { editOrderedMap, emptyOrderedMap, getEntry, type OrderedMap } from '../lib/ordered-map.ts';
import { ropeBytes, ropeDigest, ropeSize } from '../lib/rope.ts';
import type { CrtListEntry, PlanFile } from '../protocol/plan.ts';
import { createClaims } from './claims.ts';
import { sameOwner } from './map-state.ts';
import type { CrtListPart } from '../protocol/output.ts';

/** The entries of one crt-list as they change. They stand in print order; of equal lines, the first one is printed. */
export interface CrtListState {
  put(rank: string, part: CrtListPart): void;
  drop(rank: string, part: CrtListPart): void;
  /** Takes in what changed; O(this). */
  flush(): void;
  readonly entries: OrderedMap<CrtListEntry>;
}

export function createCrtList(): CrtListState {
  const claims = createClaims<CrtListEntry>();
  let entries = emptyOrderedMap<CrtListEntry>();
  return {
    put: (rank, { entry }) => claims.put(entry.text, { rank, value: entry }),
    drop: (rank, { entry }) => claims.drop(entry.text, rank),
    flush: () => {
      const edits = new Map<string, CrtListEntry | undefined>();
      const settled = claims.settle();
      // A place may pass from one line to another: all are taken out before any is put in.
      for (const { before } of settled) if (before !== undefined) edits.set(before.rank, undefined);
      for (const { after } of settled) {
        if (after === undefined) continue;
        const held = getEntry(entries, after.rank);
        edits.set(after.rank, held !== undefined && sameEntry(held, after.value) ? held : after.value);
      }
      entries = editOrderedMap(entries, edits);
    },
    get entries() {
      return entries;
    },
  };
}

function sameEntry(a: CrtListEntry, b: CrtListEntry): boolean {
  return a.text === b.text && sameOwner(a.owner, b.owner);
}

export function crtListFileOf(path: string, entries: OrderedMap<CrtListEntry>): PlanFile {
  return {
    path,
    kind: 'crtlist',
    reloadOnChange: true,
    digest: ropeDigest(entries),
    size: ropeSize(entries),
    content: () => ropeBytes(entries),
  };
}
