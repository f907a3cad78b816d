import { equalData } from '../collections/equal-data.ts';
import { digest } from '../lib/digest.ts';
import { flat } from '../lib/flat.ts';
import { editOrderedMap, emptyOrderedMap, getEntry, type OrderedMap } from '../lib/ordered-map.ts';
import type { Problem } from '../lib/problem.ts';
import { encodeRope, ropeBytes, ropeDigest, ropeSize, type TextPiece } from '../lib/rope.ts';
import type { Slices } from '../lib/slices.ts';
import type {
  Backend,
  FileKind,
  PlanCrtList,
  PlanFile,
  PlanMap,
  Profile,
  Section,
} from '../protocol/plan.ts';
import { createClaims, type Claims, type Settlement } from './claims.ts';
import { conflictsOf, type Claimed } from './claimed.ts';
import { createCrtList, crtListFileOf, type CrtListState } from './crt-list-state.ts';
import {
  createOrderedEntries,
  createUnorderedMap,
  mapFileOf,
  sameOwner,
  type MapState,
} from './map-state.ts';
import type { Declared } from '../protocol/declared.ts';
import type { FilePart, Output, Part } from '../protocol/output.ts';
import { createDeclaredState } from './declared-state.ts';
import { onceMark, type Document } from './output-of.ts';

export interface BundleOptions {
  /** Maps that exist even without entries, and whether their order counts. */
  readonly maps: readonly { readonly path: string; readonly ordered: boolean }[];
  /** Crt-lists that exist even without entries. */
  readonly crtLists?: readonly string[];
  /** Files made by a template of their own; a certificate only if there is something in it. */
  readonly files: readonly {
    readonly path: string;
    readonly reloadOnChange: boolean;
    readonly kind?: 'general' | 'cert';
  }[];
}

/** Parts of a plan, without its id. */
export interface BundleParts {
  readonly sections: OrderedMap<Section>;
  readonly backends: OrderedMap<Backend>;
  readonly profiles: OrderedMap<Profile>;
  readonly maps: OrderedMap<PlanMap>;
  readonly crtLists: OrderedMap<PlanCrtList>;
  readonly files: OrderedMap<PlanFile>;
}

/** Everything rendered so far, changed output by output. The content depends on the outputs alone, not on their history. */
export interface BundleState {
  /** `base` is the place of the output in its document; it sorts as the outputs do and is unique over all documents. */
  put(base: string, document: Document, output: Output): void;
  drop(base: string, document: Document, output: Output): void;
  /** Takes in what was put and dropped. O(changes), so many changes are taken in by several calls. */
  flush(): void;
  /** The parts that are kept without looking at file contents; `files` is as of the last `finish`. */
  parts(): BundleParts;
  /** Makes the bytes that `finish` asks for, with pauses; begun anew it goes on where it was. */
  encode(): Slices<void>;
  /** Flushes and brings the files up to date: one pass over the bytes of each file that changed. */
  finish(): BundleParts;
  /** Of names claimed twice. A new array when they changed. */
  conflicts(): readonly Problem[];
  /** As of the last flush; the same object as long as nothing changed. */
  declared(): Declared;
}

const filesBetweenPauses = 16;

type NamedKind = Section['kind'];

const namedKinds: readonly NamedKind[] = ['core', 'backend', 'profile'];

const nameConflicts: Readonly<Record<NamedKind, readonly [what: string, reason: string]>> = {
  core: ['section', 'SectionNameConflict'],
  backend: ['backend', 'BackendNameConflict'],
  profile: ['profile', 'ProfileNameConflict'],
};
const configPath = 'haproxy.cfg';

export function createBundleState(options: BundleOptions): BundleState {
  const names: Readonly<Record<NamedKind, Claims<Claimed<Part>>>> = {
    core: createClaims(),
    backend: createClaims(),
    profile: createClaims(),
  };
  const fileClaims = createClaims<Claimed<FilePart>>();
  /** Parts with a name in files of their own, by path and name. */
  const partClaims = createClaims<Claimed<{ readonly path: string; readonly section: Section }>>();
  const declared = createDeclaredState();
  const sectionEdits = new Map<string, Section | undefined>();
  /** Sections without a name, by place: nobody can have them first. */
  const plain = new Map<string, Section | undefined>();
  const documents = new Map<
    string,
    { pieces: OrderedMap<Section>; readonly edits: Map<string, Section | undefined> }
  >();
  const maps = new Map<string, MapState>();
  const orderedMaps = new Set(options.maps.filter((map) => map.ordered).map((map) => map.path));
  const permanentMaps = new Set(options.maps.map((map) => map.path));
  const ownFiles = new Map(options.files.map((file) => [file.path, file]));
  const conflicts = new Map<string, readonly Problem[]>();
  let conflictList: readonly Problem[] | undefined = [];
  let built: BundleParts = {
    sections: emptyOrderedMap(),
    backends: emptyOrderedMap(),
    profiles: emptyOrderedMap(),
    maps: emptyOrderedMap(),
    crtLists: emptyOrderedMap(),
    files: emptyOrderedMap(),
  };
  const lists = new Map<string, CrtListState>();
  const permanentLists = new Set(options.crtLists);
  const dirtyLists = new Set<string>(permanentLists);
  const dirtyMaps = new Set<string>(permanentMaps);
  const dirtyFiles = new Map<string, Claimed<FilePart> | undefined>();
  /** Of `dirtyFiles`, as far as they are encoded. */
  const textFiles = new Map<Claimed<FilePart>, PlanFile>();
  const dirtyDocuments = new Set<string>(ownFiles.keys());
  let sections = emptyOrderedMap<Section>();
  let backends = emptyOrderedMap<Backend>();
  let profiles = emptyOrderedMap<Profile>();

  for (const { path } of options.files) documents.set(path, { pieces: emptyOrderedMap(), edits: new Map() });

  const mapOf = (path: string): MapState => {
    let map = maps.get(path);
    if (map === undefined) {
      map = orderedMaps.has(path) ? createOrderedEntries() : createUnorderedMap(path);
      maps.set(path, map);
    }
    dirtyMaps.add(path);
    return map;
  };

  const listOf = (path: string): CrtListState => {
    const list = lists.get(path) ?? createCrtList();
    lists.set(path, list);
    dirtyLists.add(path);
    return list;
  };

  const editSection = (key: string, section: Section | undefined): void => {
    const held = getEntry(sections, key);
    if (held !== undefined && section !== undefined && sameSection(held, section)) sectionEdits.delete(key);
    else if (held === section) sectionEdits.delete(key);
    else sectionEdits.set(key, section);
  };

  const walk = (base: string, document: Document, output: Output, add: boolean): void => {
    output.parts.forEach((part, index) => {
      const key = base + padded(index);
      const { section, name } = part;
      const own = documents.get(document.path);
      if (own !== undefined && name !== undefined) {
        const { owner, template: place, text: content } = section;
        const value = { item: { path: document.path, section }, content, owner, place };
        if (add) partClaims.put(`${document.path}\u0000${name}`, { rank: key, value });
        else partClaims.drop(`${document.path}\u0000${name}`, key);
      } else if (own !== undefined) {
        own.edits.set(key, add ? section : undefined);
        dirtyDocuments.add(document.path);
      } else if (name === undefined) {
        plain.set(key, add ? section : undefined);
      } else if (add) {
        const value = { item: part, content: section.text, owner: section.owner, place: section.template };
        names[section.kind].put(name, { rank: key, value });
      } else {
        names[section.kind].drop(name, key);
      }
    });
    if (add) declared.put(base, output);
    else declared.drop(base, output);
    output.entries.forEach((part, index) => {
      const map = mapOf(part.path);
      if (add) map.put(base + padded(index), part);
      else map.drop(base + padded(index), part);
    });
    output.listed?.forEach((part, index) => {
      const list = listOf(part.path);
      if (add) list.put(base + padded(index), part);
      else list.drop(base + padded(index), part);
    });
    output.files.forEach((file, index) => {
      const rank = base + padded(index);
      if (!add) {
        fileClaims.drop(file.path, rank);
        return;
      }
      const own = `${file.kind} ${file.reloadOnChange} ${file.text}`;
      // Equal contents are one text, so that comparing those of many claims does not read them.
      const first = fileClaims.first(file.path)?.value.content;
      const content = first === own ? first : own;
      fileClaims.put(file.path, {
        rank,
        value: { item: file, content, owner: output.owner, place: file.place },
      });
    });
  };

  const note = (key: string, problems: readonly Problem[]): void => {
    if (problems.length === 0 && !conflicts.has(key)) return;
    if (problems.length === 0) conflicts.delete(key);
    else conflicts.set(key, problems);
    conflictList = undefined;
  };

  const takeOut = (settlements: readonly Settlement<Claimed<Part>>[]): void => {
    for (const { before, after } of settlements)
      if (before !== undefined && before.rank !== after?.rank) editSection(before.rank, undefined);
  };

  const putIn = (kind: NamedKind, settlements: readonly Settlement<Claimed<Part>>[]): void => {
    const backendEdits = new Map<string, Backend | undefined>();
    const profileEdits = new Map<string, Profile | undefined>();
    for (const settlement of settlements) {
      const { name, before, after } = settlement;
      if (!name.startsWith(onceMark))
        note(`${kind} ${name}`, conflictsOf(...nameConflicts[kind], settlement));
      if (after !== undefined) editSection(after.rank, after.value.item.section);
      const same =
        before !== undefined &&
        after !== undefined &&
        sameSection(before.value.item.section, after.value.item.section);
      if (same) continue;
      if (kind === 'backend') backendEdits.set(name, after?.value.item.backend);
      if (kind === 'profile') profileEdits.set(name, after?.value.item.profile);
    }
    backends = editOrderedMap(backends, backendEdits);
    profiles = editOrderedMap(profiles, profileEdits);
  };

  /**
   * A place in the text may pass from one name to another, of another kind too, or lose its name: everything is taken out
   * before anything is put in, so that the order of the settlements does not matter.
   */
  const settleSections = (): void => {
    const settled = namedKinds.map((kind) => [kind, names[kind].settle()] as const);
    for (const [, settlements] of settled) takeOut(settlements);
    for (const [key, section] of plain) if (section === undefined) editSection(key, undefined);
    for (const [kind, settlements] of settled) putIn(kind, settlements);
    for (const [key, section] of plain) if (section !== undefined) editSection(key, section);
    plain.clear();
  };

  /** As with sections: a place may pass from one name to another. */
  const settleParts = (): void => {
    const settled = partClaims.settle();
    const edit = (rank: string, path: string, section: Section | undefined): void => {
      documents.get(path)?.edits.set(rank, section);
      dirtyDocuments.add(path);
    };
    for (const { before, after } of settled)
      if (before !== undefined && before.rank !== after?.rank)
        edit(before.rank, before.value.item.path, undefined);
    for (const { after } of settled)
      if (after !== undefined) edit(after.rank, after.value.item.path, after.value.item.section);
  };

  const flush = (): void => {
    settleSections();
    sections = editOrderedMap(sections, sectionEdits);
    sectionEdits.clear();
    for (const path of dirtyMaps)
      for (const [key, problems] of mapOf(path).flush()) note(`map ${path} ${key}`, problems);
    for (const path of dirtyLists) listOf(path).flush();
    for (const settlement of fileClaims.settle()) {
      note(`file ${settlement.name}`, conflictsOf('file', 'FileConflict', settlement));
      dirtyFiles.set(settlement.name, settlement.after?.value);
    }
    for (const [key, problems] of declared.flush()) note(key, problems);
    settleParts();
    for (const path of dirtyDocuments) {
      const own = documents.get(path);
      if (own === undefined) continue;
      own.pieces = editOrderedMap(own.pieces, own.edits);
      own.edits.clear();
    }
  };

  function* encode(): Slices<void> {
    yield* encodeRope(sections);
    for (const path of dirtyMaps) yield* encodeRope(mapOf(path).entries);
    for (const path of dirtyLists) yield* encodeRope(listOf(path).entries);
    for (const path of dirtyDocuments) {
      const own = documents.get(path);
      if (own !== undefined) yield* encodeRope(own.pieces);
    }
    let count = 0;
    for (const file of dirtyFiles.values()) {
      if (file === undefined || textFiles.has(file)) continue;
      textFiles.set(file, textFileOf(file));
      if (++count % filesBetweenPauses === 0) yield;
    }
  }

  const finish = (): BundleParts => {
    flush();
    const fileEdits = new Map<string, PlanFile | undefined>();
    const mapEdits = new Map<string, PlanMap | undefined>();
    for (const path of dirtyMaps) {
      const { entries } = mapOf(path);
      const held = getEntry(built.maps, path);
      if (held?.entries === entries) continue;
      const exists = entries.size > 0 || permanentMaps.has(path);
      mapEdits.set(path, exists ? { path, ordered: orderedMaps.has(path), entries } : undefined);
      fileEdits.set(path, exists ? mapFileOf(path, entries) : undefined);
      if (!exists) maps.delete(path);
    }
    const listEdits = new Map<string, PlanCrtList | undefined>();
    for (const path of dirtyLists) {
      const { entries } = listOf(path);
      if (getEntry(built.crtLists, path)?.entries === entries) continue;
      const exists = entries.size > 0 || permanentLists.has(path);
      listEdits.set(path, exists ? { path, entries } : undefined);
      fileEdits.set(path, exists ? crtListFileOf(path, entries) : undefined);
      if (!exists) lists.delete(path);
    }
    for (const [path, file] of dirtyFiles)
      fileEdits.set(path, file === undefined ? undefined : (textFiles.get(file) ?? textFileOf(file)));
    for (const path of dirtyDocuments) {
      const pieces = documents.get(path)?.pieces;
      const { kind = 'general', reloadOnChange = true } = ownFiles.get(path) ?? {};
      if (kind === 'cert' && pieces?.size === 0) fileEdits.set(path, undefined);
      else if (pieces !== undefined) fileEdits.set(path, ropeFileOf(path, kind, reloadOnChange, pieces));
    }
    if (sections !== built.sections || built.files.size === 0)
      fileEdits.set(configPath, ropeFileOf(configPath, 'config', true, sections));
    dirtyMaps.clear();
    dirtyLists.clear();
    dirtyFiles.clear();
    textFiles.clear();
    dirtyDocuments.clear();
    built = {
      sections,
      backends,
      profiles,
      maps: editOrderedMap(built.maps, mapEdits),
      crtLists: editOrderedMap(built.crtLists, listEdits),
      files: editOrderedMap(built.files, changedFiles(built.files, fileEdits)),
    };
    return built;
  };

  return {
    put: (base, document, output) => walk(base, document, output, true),
    drop: (base, document, output) => walk(base, document, output, false),
    flush,
    encode,
    finish,
    parts: () => ({ ...built, sections, backends, profiles }),
    declared: () => declared.declared,
    conflicts: () =>
      (conflictList ??= [...conflicts.keys()].sort().flatMap((key) => conflicts.get(key) ?? [])),
  };
}

/** Sorts as the numbers do. */
export function padded(index: number): string {
  return index < 1_000
    ? (fewPadded[index] ??= flat(String(index).padStart(6, '0')))
    : String(index).padStart(6, '0');
}

/** Of all fragments, most of which have one part. */
const fewPadded: string[] = [];

function sameSection(a: Section, b: Section): boolean {
  return (
    a === b ||
    (a.text === b.text &&
      a.name === b.name &&
      a.kind === b.kind &&
      a.template === b.template &&
      equalData(a.foreign, b.foreign) &&
      sameOwner(a.owner, b.owner))
  );
}

function changedFiles(
  held: OrderedMap<PlanFile>,
  edits: ReadonlyMap<string, PlanFile | undefined>,
): [string, PlanFile | undefined][] {
  return [...edits].filter(([path, file]) => {
    const before = getEntry(held, path);
    return (
      before?.digest !== file?.digest ||
      before?.kind !== file?.kind ||
      before?.reloadOnChange !== file?.reloadOnChange ||
      !sameOwner(before?.owner, file?.owner)
    );
  });
}

function ropeFileOf(
  path: string,
  kind: FileKind,
  reloadOnChange: boolean,
  rope: OrderedMap<TextPiece>,
): PlanFile {
  return {
    path,
    kind,
    reloadOnChange,
    digest: ropeDigest(rope),
    size: ropeSize(rope),
    content: () => ropeBytes(rope),
  };
}

function textFileOf({ item: { path, kind, reloadOnChange, text }, owner }: Claimed<FilePart>): PlanFile {
  const bytes = new TextEncoder().encode(text);
  const owned = owner === undefined ? {} : { owner };
  return {
    path,
    kind,
    reloadOnChange,
    digest: digest(text),
    size: bytes.byteLength,
    content: () => [bytes],
    ...owned,
  };
}
