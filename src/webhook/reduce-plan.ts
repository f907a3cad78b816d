import { diffOrderedMaps, entriesOf, getEntry, orderedMapFrom, type OrderedMap } from '../lib/ordered-map.ts';
import type { MapEntry, Plan, PlanFile, Section } from '../protocol/plan.ts';
import { changedFiles } from './file-changes.ts';
import { createFindSections, wordsOf } from './find-text.ts';
import { formsOf } from './known-forms.ts';
import { pick, planOf, textOf } from './plan-of.ts';
import { reduceCrtList } from './reduce-crt-list.ts';
import { createGrouping, type SectionGroup } from './section-groups.ts';
import { type KnownChanges, sectionChanges } from './section-changes.ts';

/** What has to be checked of a plan, given that another one was accepted. */
export type Reduction =
  | { readonly kind: 'unchanged' }
  /** All that it depends on was accepted before. */
  | { readonly kind: 'known' }
  /** `forms`: see {@link formsOf}. */
  | { readonly kind: 'reduced'; readonly plan: Plan; readonly forms: readonly string[] | undefined }
  /** Nothing smaller is known to be enough, and why. */
  | { readonly kind: 'full'; readonly reason: string };

/** Sections beyond which a part is no part any more. */
const mostUnits = 256;

/**
 * Finds the part of `next` whose acceptance implies that of all of it, where `accepted` was accepted as a whole: the frame, what
 * changed, what that names, and what names it; of maps, the entries that changed. When that is not known to be enough, it says so.
 * Why it is enough, and where not, stands in docs/adr/0041-check-what-a-change-can-affect.md.
 */
export type ReducePlan = (
  accepted: Plan,
  next: Plan,
  /** Whether these forms were accepted, see {@link formsOf}. */
  isAccepted: (forms: readonly string[]) => boolean,
) => Reduction;

export function createReducer(): ReducePlan {
  const { head, group } = createGrouping();
  const find = createFindSections();
  const words = rememberedWords();

  return (accepted, next, isAccepted) => {
    const files = changedFiles(accepted, next);
    const { sections } = next;
    if (sections === accepted.sections && files.isEmpty) return { kind: 'unchanged' };
    const groups = group(sections);
    const changes = sectionChanges(accepted.sections, sections, groups, head);
    if (changes.kind === 'full') return changes;
    if (changes.isEmpty && files.isEmpty) return { kind: 'unchanged' };
    const gone = files.goneReason;
    if (gone !== undefined) return { kind: 'full', reason: gone };
    const named = new Set([...changes.names, ...files.paths]);
    const naming = named.size === 0 ? new Set<string>() : find(sections, named);
    const forms = formsOf({
      accepted,
      next,
      groups,
      naming,
      changed: changes.keys,
      names: changes.names,
      paths: files.paths,
    });
    if (forms !== undefined && isAccepted(forms)) return { kind: 'known' };
    const units = unitsToCheck(groups, changes, naming, words);
    if (units === undefined)
      return { kind: 'full', reason: `more than ${mostUnits} sections have to do with it` };
    return reduced(accepted, next, groups, units, words, forms);
  };
}

type WordsOf = (section: Section) => ReadonlySet<string>;

function rememberedWords(): WordsOf {
  const known = new WeakMap<Section, ReadonlySet<string>>();
  return (section) => {
    const held = known.get(section) ?? wordsOf(section.text);
    known.set(section, held);
    return held;
  };
}

/** Changed units, those that name what changed, and all that those and the frame name; undefined when they are too many. */
function unitsToCheck(
  groups: readonly SectionGroup[],
  changes: KnownChanges,
  naming: ReadonlySet<string>,
  words: WordsOf,
): ReadonlySet<SectionGroup> | undefined {
  const wanted = new Set<string>();
  const included = new Set<SectionGroup>();
  const include = (group: SectionGroup) => {
    included.add(group);
    for (const [, section] of group.sections) for (const word of words(section)) wanted.add(word);
  };
  for (const group of groups)
    if (group.kind === 'frame' || group.sections.some(([key]) => changes.keys.has(key) || naming.has(key)))
      include(group);
  let size = -1;
  const unitCount = () => [...included].filter(({ kind }) => kind === 'unit').length;
  while (included.size !== size) {
    if (unitCount() > mostUnits) return undefined;
    size = included.size;
    for (const group of groups) if (wanted.has(group.name) && !included.has(group)) include(group);
  }
  return included;
}

function reduced(
  accepted: Plan,
  next: Plan,
  groups: readonly SectionGroup[],
  included: ReadonlySet<SectionGroup>,
  words: WordsOf,
  forms: readonly string[] | undefined,
): Reduction {
  const sections: (readonly [string, Section])[] = [];
  const paths = new Set<string>();
  const backends = new Set<string>();
  for (const group of groups) {
    if (!included.has(group)) continue;
    if (group.keyword === 'backend') backends.add(group.name);
    for (const entry of group.sections) {
      sections.push(entry);
      for (const word of words(entry[1])) paths.add(word.replace(/^\.\//, ''));
    }
  }
  const folders = foldersOf(next.files);
  const folder = [...paths].find((path) => folders.has(path.replace(/\/$/, '')));
  if (folder !== undefined && isNamedFolder(sections, folder))
    return { kind: 'full', reason: `the folder ${folder} is read as a whole` };

  const lists = new Map<string, ReturnType<typeof reduceCrtList>>();
  for (const path of paths) {
    const list = getEntry(next.crtLists, path);
    if (list === undefined) continue;
    const part = reduceCrtList(getEntry(accepted.crtLists, path), list, (file) =>
      isSameFile(getEntry(accepted.files, file), getEntry(next.files, file)),
    );
    if (part === undefined) return { kind: 'full', reason: `the crt-list ${path} has become empty` };
    lists.set(path, part);
    for (const { text } of part.mentioned) for (const word of wordsOf(text)) paths.add(word);
  }
  // A list that is a mere file names files as well.
  for (const path of [...paths]) {
    const file = getEntry(next.files, path);
    if (file?.kind === 'crtlist' && !lists.has(path))
      for (const word of wordsOf(textOf(file))) paths.add(word);
  }
  const maps = pick(next.maps, paths);
  return {
    kind: 'reduced',
    forms,
    plan: planOf({
      sections: orderedMapFrom(sections),
      backends: pick(next.backends, backends),
      profiles: next.profiles,
      maps: orderedMapFrom(
        [...entriesOf(maps)].map(([path, map]) => [
          path,
          { ...map, entries: changedEntries(getEntry(accepted.maps, path)?.entries, map.entries) },
        ]),
      ),
      crtLists: orderedMapFrom([...lists].flatMap(([path, part]) => (part ? [[path, part.list]] : []))),
      files: pick(next.files, paths),
    }),
  };
}

/** Each entry of a map is read by itself: those that were read before and stayed are left out. */
function changedEntries(before: OrderedMap<MapEntry> | undefined, after: OrderedMap<MapEntry>) {
  if (before === undefined) return after;
  const changed: [string, MapEntry][] = [];
  for (const change of diffOrderedMaps(before, after))
    if (change.after !== undefined && change.after.text !== change.before?.text)
      changed.push([change.key, change.after]);
  return orderedMapFrom(changed);
}

function isSameFile(a: PlanFile | undefined, b: PlanFile | undefined): boolean {
  return a?.digest === b?.digest;
}

function foldersOf(files: OrderedMap<PlanFile>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const [path] of entriesOf(files)) {
    const end = path.lastIndexOf('/');
    if (end > 0) folders.add(path.slice(0, end));
  }
  return folders;
}

/** `crt ssl` and `crt ssl/`, but no path of a request that looks like it. */
function isNamedFolder(sections: readonly (readonly [string, Section])[], folder: string): boolean {
  const name = folder.replace(/\/$/, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const read = new RegExp(
    `\\b(?:crt|ca-file|ca-verify-file|issuers-chain-path|crt-base|ca-base|key-base)\\s+["']?(?:\\./)?${name}/?(?=["'\\s]|$)`,
    'm',
  );
  return sections.some(([, { text }]) => read.test(text));
}
