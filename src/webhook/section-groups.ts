import type { Chunk, OrderedMap } from '../lib/ordered-map.ts';
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

function headOf(section: Section): SectionHead {
  if (section.kind === 'backend') return { kind: 'one', keyword: 'backend', name: section.name };
  if (section.kind === 'profile') return { kind: 'one', keyword: 'defaults', name: section.name };
  const found = [...section.text.matchAll(header)];
  const [first] = found;
  if (first === undefined) return { kind: 'none' };
  const [, keyword = '', name = ''] = first;
  if (found.length > 1 || section.text.slice(0, first.index).trim() !== '') return { kind: 'mixed' };
  return { kind: 'one', keyword, name };
}

/** The configuration as groups, in print order: of runs that are shared with earlier versions, what was found then. O(sections). */
export type GroupSections = (sections: OrderedMap<Section>) => readonly SectionGroup[];

export interface Grouping {
  readonly head: (section: Section) => SectionHead;
  readonly group: GroupSections;
}

interface Run {
  /** What goes on with the section that the run before ends in. */
  readonly rest: readonly Entry[];
  readonly groups: readonly SectionGroup[];
}

type Entry = readonly [key: string, section: Section];

/** Sections are shared between renders, and looked at for each of them: what was found is remembered as long as they are there. */
export function createGrouping(): Grouping {
  const heads = new WeakMap<Section, SectionHead>();
  const runs = new WeakMap<Chunk<Section>, Run>();
  const head = (section: Section): SectionHead => {
    const held = heads.get(section) ?? headOf(section);
    heads.set(section, held);
    return held;
  };
  const runOf = (chunk: Chunk<Section>): Run => {
    const held = runs.get(chunk) ?? groupRun(chunk, head);
    runs.set(chunk, held);
    return held;
  };
  return {
    head,
    group: ({ chunks }) => {
      const groups: SectionGroup[] = [];
      for (const chunk of chunks) {
        const run = runOf(chunk);
        const last = groups.at(-1);
        if (run.rest.length > 0 && last !== undefined)
          groups[groups.length - 1] = { ...last, sections: [...last.sections, ...run.rest] };
        else if (run.rest.length > 0) groups.push(nameless(run.rest));
        for (const group of run.groups) groups.push(group);
      }
      return groups;
    },
  };
}

function groupRun({ keys, values }: Chunk<Section>, head: (section: Section) => SectionHead): Run {
  const rest: Entry[] = [];
  const groups: (SectionGroup & { readonly sections: Entry[] })[] = [];
  values.forEach((section, at) => {
    const entry: Entry = [keys[at] ?? '', section];
    const begins = head(section);
    const into = groups.at(-1)?.sections ?? rest;
    if (begins.kind === 'none') into.push(entry);
    else if (begins.kind === 'mixed') groups.push({ ...nameless([]), sections: [entry] });
    else
      groups.push({
        kind: isUnit(section, begins) ? 'unit' : 'frame',
        keyword: begins.keyword,
        name: begins.name,
        sections: [entry],
      });
  });
  return { rest, groups };
}

function isUnit(section: Section, begins: { readonly keyword: string; readonly name: string }): boolean {
  if (section.kind === 'profile' || !isNamedSection(begins)) return false;
  return section.kind === 'backend' || section.owner !== undefined;
}

function nameless(sections: readonly Entry[]): SectionGroup {
  return { kind: 'frame', keyword: '', name: '', sections };
}
