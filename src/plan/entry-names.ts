import type { CrtListEntry } from '../protocol/plan.ts';

/** Host names of an entry's filters, in lower case; negations name none. */
export function filterNames({ sniFilters }: CrtListEntry): readonly string[] {
  return sniFilters.filter((filter) => !filter.startsWith('!')).map((filter) => filter.toLowerCase());
}

/** The filter `!*`: HAProxy (all lines) serves such an entry for no host name at all, only as the default certificate. */
export function hasNoNames({ sniFilters }: CrtListEntry): boolean {
  return sniFilters.includes('!*') && sniFilters.every((filter) => filter.startsWith('!'));
}

/** Without filters that name a host, an entry has the names of its certificate. */
export function isUnnamed(entry: CrtListEntry): boolean {
  return filterNames(entry).length === 0 && !hasNoNames(entry);
}
