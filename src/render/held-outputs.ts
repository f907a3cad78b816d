import { equalData } from '../collections/equal-data.ts';
import {
  diffOrderedMaps,
  editOrderedMap,
  emptyOrderedMap,
  getEntry,
  type OrderedMap,
} from '../lib/ordered-map.ts';
import { formatOwner } from '../lib/owner.ts';
import { outputsDigest } from '../protocol/changed-owners.ts';
import { noQuarantine, type Hold, type Outputs, type Quarantine } from '../protocol/provenance.ts';
import type { StatusPatch } from '../protocol/declared.ts';
import type { Output } from '../protocol/output.ts';

/** Where outputs are printed. */
export interface Printer {
  put(place: string, output: Output): void;
  drop(place: string, output: Output): void;
}

/**
 * The outputs as they are printed: those of held objects stay what they are held at, and what such objects say now is kept
 * back. For each place: what a held object has there in the render it is held at; else nothing, if what is there now belongs
 * to a held object; else what is there now. So the content depends on the present outputs and the quarantine alone.
 */
export interface HeldOutputs {
  /** Something changed at a place. */
  take(place: string, before: Output | undefined, after: Output | undefined): void;
  /** O(what the objects that come or go changed since what they are held at), and a pass over all outputs where that is nothing. */
  hold(quarantine: Quarantine): void;
  /** Takes in what changed: O(changes), so many are taken in by several calls. */
  flush(): void;
  /** All of them as printed, for reference. O(changes since the last flush). */
  outputs(): Outputs;
  /** See {@link Provenance.withheld}. */
  withheld(): ReadonlyMap<string, string>;
  /** See {@link Provenance.withheldPatches}. */
  withheldPatches(): readonly StatusPatch[];
  readonly quarantine: Quarantine;
}

const nothing: ReadonlyMap<string, string> = new Map();

export function createHeldOutputs(printer: Printer): HeldOutputs {
  let printed = emptyOrderedMap<Output>();
  let edits = new Map<string, Output | undefined>();
  let quarantine = noQuarantine;
  /** What is at a place now but not printed, by the held object that keeps it out. */
  const keptBack = new Map<string, Map<string, Output | undefined>>();
  /** Which object that is, by place. */
  const keptBy = new Map<string, string>();
  let digests: ReadonlyMap<string, string> = nothing;
  let patches: { readonly of: ReadonlyMap<string, string>; readonly list: readonly StatusPatch[] } = {
    of: nothing,
    list: [],
  };
  const stale = new Set<string>();

  const printedAt = (place: string): Output | undefined =>
    edits.has(place) ? edits.get(place) : getEntry(printed, place);

  const heldOwner = (output: Output | undefined): string | undefined => {
    if (output?.owner === undefined) return undefined;
    const key = formatOwner(output.owner);
    return quarantine.has(key) ? key : undefined;
  };

  const print = (place: string, output: Output | undefined): void => {
    const shown = printedAt(place);
    if (shown === output) return;
    if (shown !== undefined) printer.drop(place, shown);
    if (output !== undefined) printer.put(place, output);
    edits.set(place, output);
  };

  const keepBack = (key: string, place: string, output: Output | undefined): void => {
    const places = keptBack.get(key) ?? new Map<string, Output | undefined>();
    keptBack.set(key, places.set(place, output));
    keptBy.set(place, key);
    stale.add(key);
  };

  const forget = (place: string): void => {
    const key = keptBy.get(place);
    if (key === undefined) return;
    keptBy.delete(place);
    keptBack.get(key)?.delete(place);
    stale.add(key);
  };

  /** What is at the place now, printed or not. */
  const presentAt = (place: string): Output | undefined => {
    const key = keptBy.get(place);
    return key === undefined ? printedAt(place) : keptBack.get(key)?.get(place);
  };

  /** Decides a place whose pinned output, if it has one, is printed already. */
  const settle = (place: string, present: Output | undefined): void => {
    forget(place);
    const shown = printedAt(place);
    const pinnedBy = heldOwner(shown);
    const keptOutBy = heldOwner(present);
    if (pinnedBy !== undefined) {
      if (!equalData(present, shown)) keepBack(pinnedBy, place, present);
    } else if (keptOutBy !== undefined) {
      print(place, undefined);
      keepBack(keptOutBy, place, present);
    } else {
      print(place, present);
    }
  };

  const flush = (): OrderedMap<Output> => {
    if (edits.size > 0) {
      printed = editOrderedMap(printed, edits);
      edits = new Map();
    }
    return printed;
  };

  const release = (keys: ReadonlySet<string>): void => {
    for (const key of keys) {
      const places = keptBack.get(key);
      keptBack.delete(key);
      stale.add(key);
      for (const place of places?.keys() ?? []) keptBy.delete(place);
      for (const [place, present] of places ?? []) settle(place, present);
    }
  };

  /** All that are held at one version are taken in one comparison with it. */
  const capture = (at: Outputs, keys: ReadonlySet<string>, captured: ReadonlySet<string>): void => {
    const isOf = (output: Output | undefined): boolean =>
      output?.owner !== undefined && keys.has(formatOwner(output.owner));
    // Both sides of what has changed: the rest is printed as it is pinned.
    for (const { key: place, before, after } of diffOrderedMaps(at, flush())) {
      if (!isOf(before) && !isOf(after)) continue;
      const shownBy = heldOwner(after);
      if (shownBy !== undefined && captured.has(shownBy)) continue;
      const present = presentAt(place);
      print(place, isOf(before) ? before : undefined);
      settle(place, present);
    }
  };

  const withheld = (): ReadonlyMap<string, string> => {
    if (stale.size === 0) return digests;
    const next = new Map(digests);
    for (const key of stale) {
      const places = keptBack.get(key);
      if (places === undefined || places.size === 0) next.delete(key);
      else next.set(key, outputsDigest(places));
    }
    stale.clear();
    digests = sameDigests(digests, next) ? digests : next.size === 0 ? nothing : next;
    return digests;
  };

  return {
    take(place, before, after) {
      if (quarantine.size > 0) {
        settle(place, after);
        return;
      }
      if (before !== undefined) printer.drop(place, before);
      if (after !== undefined) printer.put(place, after);
      edits.set(place, after);
    },
    hold(next) {
      if (next === quarantine) return;
      const former = quarantine;
      const gone = new Set([...former.keys()].filter((key) => !isSameHold(former.get(key), next.get(key))));
      const come = [...next].filter(([key, hold]) => !isSameHold(former.get(key), hold));
      quarantine = new Map([...former].filter(([key]) => !gone.has(key)));
      release(gone);
      quarantine = next;
      const byVersion = new Map<Outputs, Set<string>>();
      for (const [key, { at }] of come) byVersion.set(at, (byVersion.get(at) ?? new Set()).add(key));
      const captured = new Set([...former.keys()].filter((key) => !gone.has(key)));
      for (const [at, keys] of byVersion) {
        capture(at, keys, captured);
        for (const key of keys) captured.add(key);
      }
    },
    flush: () => void flush(),
    outputs: flush,
    withheld,
    withheldPatches() {
      const of = withheld();
      if (patches.of === of) return patches.list;
      const outputs = [...keptBack.values()].flatMap((places) => [...places.values()]);
      patches = { of, list: outputs.flatMap((output) => output?.statusPatches ?? []) };
      return patches.list;
    },
    get quarantine() {
      return quarantine;
    },
  };
}

function isSameHold(a: Hold | undefined, b: Hold | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && a.at === b.at);
}

function sameDigests(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([key, digest]) => b.get(key) === digest);
}
