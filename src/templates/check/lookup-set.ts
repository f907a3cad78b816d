import type { LookupUse } from '../vocabulary.ts';

/** Lookups that a fragment or a snippet can make. */
export interface LookupSet {
  readonly own: Map<string, LookupUse>;
  /** Those of the snippets it calls, which may be looked at still: snippets may call each other. */
  readonly called: Set<LookupSet>;
}

export function createLookupSet(): LookupSet {
  return { own: new Map(), called: new Set() };
}

export function noteLookup({ own }: LookupSet, use: LookupUse): void {
  own.set(`${use.helper} ${use.resource} ${use.keys}`, use);
}

/** Each kind of lookup once, with those of all that is called. Complete when all was looked at. */
export function lookupsIn(set: LookupSet): readonly LookupUse[] {
  const found = new Map<string, LookupUse>();
  const seen = new Set([set]);
  for (const { own, called } of seen) {
    for (const [key, use] of own) found.set(key, use);
    for (const other of called) seen.add(other);
  }
  return [...found.values()];
}
