import { compareKeys, diffOrderedMaps, type OrderedMap } from '../lib/ordered-map.ts';
import type { Section } from '../protocol/plan.ts';
import { isNamedSection, type SectionGroup, type SectionHead } from './section-groups.ts';

export interface KnownChanges {
  readonly kind: 'known';
  readonly isEmpty: boolean;
  /** Of sections that are there and new, or other than they were. */
  readonly keys: ReadonlySet<string>;
  /** Of what changed or went, and identifiers that changed sections brought: what names these may be affected. */
  readonly names: ReadonlySet<string>;
}

export type SectionChanges = KnownChanges | { readonly kind: 'full'; readonly reason: string };

const mostChanges = 128;

/**
 * What differs between the sections of two plans, as far as its effects go by names. New sections affect nobody by their name: what
 * named them before was refused.
 */
export function sectionChanges(
  before: OrderedMap<Section>,
  after: OrderedMap<Section>,
  groups: readonly SectionGroup[],
  head: (section: Section) => SectionHead,
): SectionChanges {
  const full = (reason: string) => ({ kind: 'full', reason }) as const;
  const keys = new Set<string>();
  const names = new Set<string>();
  let count = 0;
  for (const { key, before: was, after: is } of diffOrderedMaps(before, after)) {
    if (was?.text === is?.text && was?.name === is?.name && was?.kind === is?.kind) continue;
    if (++count > mostChanges) return full(`more than ${mostChanges} sections changed`);
    const heads = [was, is].flatMap((section) => (section === undefined ? [] : [head(section)]));
    if (heads.some(({ kind }) => kind === 'mixed')) return full('a text of several sections changed');
    if (heads.some(({ kind }) => kind === 'none') || (is !== undefined && is.text.trim() === '')) {
      const around = groupAround(groups, key);
      if (around === undefined || !isNamedSection(around))
        return full(`a line of the section ${around?.keyword ?? 'before all others'} changed`);
      names.add(around.name);
      for (const [member] of around.sections) keys.add(member);
    }
    for (const begins of heads)
      if (begins.kind === 'one' && begins.keyword !== 'defaults' && !isNamedSection(begins))
        return full(`the section ${begins.keyword} changed`);
    if (was !== undefined) {
      const begins = head(was);
      // A profile that goes was either nobody's, or is missed by those that are looked for by its name.
      if (begins.kind === 'one') {
        if (begins.keyword === 'defaults' && is !== undefined)
          return full(`the profile ${begins.name} changed`);
        names.add(begins.name);
      }
    }
    if (is !== undefined) {
      keys.add(key);
      if (/^\s*id\s+\d/m.test(is.text)) return full('a section has a number of its own (id)');
      for (const [, guid = ''] of is.text.matchAll(/\bguid\s+(\S+)/g)) names.add(guid);
    }
  }
  return { kind: 'known', isEmpty: count === 0, keys, names };
}

/** The last group that begins before a place. */
function groupAround(groups: readonly SectionGroup[], key: string): SectionGroup | undefined {
  let low = 0;
  let high = groups.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareKeys(groups[middle]?.sections[0]?.[0] ?? '', key) <= 0) low = middle + 1;
    else high = middle;
  }
  return groups[low - 1];
}
