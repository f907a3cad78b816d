import { diffOrderedMaps, entriesOf, orderedMapFrom } from '../lib/ordered-map.ts';
import type { CrtListEntry, PlanCrtList } from '../protocol/plan.ts';

export interface ReducedCrtList {
  readonly list: PlanCrtList;
  /** Its entries. */
  readonly mentioned: readonly CrtListEntry[];
}

/**
 * The entries of a crt-list that have to be read again: those that changed, all others of the same certificates (their options must
 * agree), those whose certificate changed, and the first, which is the default certificate. Undefined when none is left of some.
 */
export function reduceCrtList(
  before: PlanCrtList | undefined,
  after: PlanCrtList,
  isSameFile: (path: string) => boolean,
): ReducedCrtList | undefined {
  if (after.entries.size === 0 && (before?.entries.size ?? 0) > 0) return undefined;
  const certificates = new Set<string>();
  if (before !== undefined)
    for (const change of diffOrderedMaps(before.entries, after.entries))
      for (const entry of [change.before, change.after])
        if (entry !== undefined && change.before?.text !== change.after?.text)
          certificates.add(entry.certificate);
  const kept: [string, CrtListEntry][] = [];
  for (const [key, entry] of entriesOf(after.entries))
    if (
      kept.length === 0 ||
      before === undefined ||
      certificates.has(entry.certificate) ||
      !isSameFile(entry.certificate)
    )
      kept.push([key, entry]);
  return {
    list: { path: after.path, entries: orderedMapFrom(kept) },
    mentioned: kept.map(([, entry]) => entry),
  };
}
