import { entriesOf, type OrderedMap } from '../lib/ordered-map.ts';
import type { Section } from '../protocol/plan.ts';

/**
 * One section of HAProxy's configuration with all that is printed into it: a header, and the runs of text after it that have none
 * of their own.
 */
export interface SectionGroup {
  /** `unit`: one of many, made for an object and found by its name. `frame`: what the templates print around them, and profiles. */
  readonly kind: 'frame' | 'unit';
  /** Keyword and name of the header; the name is empty where a section has none. */
  readonly keyword: string;
  readonly name: string;
  readonly sections: readonly (readonly [key: string, section: Section])[];
}

/** How a section's own text begins. */
export type SectionHead =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly keyword: string; readonly name: string }
  /** Several headers, or one that text stands before. */
  | { readonly kind: 'mixed' };

const header =
  /^(global|defaults|frontend|listen|backend|userlist|resolvers|peers|mailers|cache|ring|program|http-errors|log-forward|log-profile|fcgi-app|crt-store|traces|acme|healthcheck)\b[ \t]*([^\s#]*)/gm;

/** Sections whose effect on others goes by their name alone: what does not name them does not depend on them. */
const namedKeywords: ReadonlySet<string> = new Set([
  ...['frontend', 'listen', 'backend', 'userlist', 'resolvers', 'peers', 'mailers', 'cache', 'ring'],
  ...['http-errors', 'fcgi-app', 'log-profile'],
]);

/** True when a header names a section that others can only depend on by naming it. */
export function isNamedSection({
  keyword,
  name,
}: {
  readonly keyword: string;
  readonly name: string;
}): boolean {
  return name !== '' && namedKeywords.has(keyword);
}

export function headOf(section: Section): SectionHead {
  if (section.kind === 'backend') return { kind: 'one', keyword: 'backend', name: section.name };
  if (section.kind === 'profile') return { kind: 'one', keyword: 'defaults', name: section.name };
  const found = [...section.text.matchAll(header)];
  const [first] = found;
  if (first === undefined) return { kind: 'none' };
  const [, keyword = '', name = ''] = first;
  if (found.length > 1 || section.text.slice(0, first.index).trim() !== '') return { kind: 'mixed' };
  return { kind: 'one', keyword, name };
}

/** Remembers heads by section: sections are shared between renders, and looked at for each of them. */
export function createHeads(): (section: Section) => SectionHead {
  const known = new WeakMap<Section, SectionHead>();
  return (section) => {
    const held = known.get(section);
    if (held !== undefined) return held;
    const head = headOf(section);
    known.set(section, head);
    return head;
  };
}

/** The configuration as groups, in print order. O(sections). */
export function groupSections(
  sections: OrderedMap<Section>,
  head: (section: Section) => SectionHead,
): readonly SectionGroup[] {
  const groups: (SectionGroup & { readonly sections: (readonly [string, Section])[] })[] = [];
  for (const entry of entriesOf(sections)) {
    const [, section] = entry;
    const begins = head(section);
    const current = groups.at(-1);
    if (begins.kind === 'none' && current !== undefined) {
      current.sections.push(entry);
      continue;
    }
    const { keyword, name } = begins.kind === 'one' ? begins : { keyword: '', name: '' };
    const isUnit =
      begins.kind === 'one' &&
      section.kind !== 'profile' &&
      (section.kind === 'backend' || section.owner !== undefined) &&
      isNamedSection(begins);
    groups.push({ kind: isUnit ? 'unit' : 'frame', keyword, name, sections: [entry] });
  }
  return groups;
}
