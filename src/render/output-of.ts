import { flat } from '../lib/flat.ts';
import type { Owner } from '../lib/owner.ts';
import type { DeclaredResource } from '../protocol/declared.ts';
import type { MapEntry, Section } from '../protocol/plan.ts';
import { crtListLine } from '../protocol/crt-list-line.ts';
import { readCrtListLine } from './read-crt-list-line.ts';
import { mapKey } from '../templates/context/map-key.ts';
import { mapValue } from '../templates/context/map-value.ts';
import type { CrtListEffect, Fragment, Piece } from '../templates/fragment.ts';
import { pemBlocks } from '../templates/context/pem-text.ts';
import { renderError } from '../templates/render-fault.ts';
import type { DocumentKind } from '../templates/vocabulary.ts';
import { cutAtHeaders, tidy, withoutEmptyLines } from './layout.ts';
import { templateOwner } from './owner-of.ts';
import type { PostProcess } from './post-process.ts';
import { resourcesOfText } from './resources-of-text.ts';
import type { CrtListPart, EntryPart, Output, Part } from '../protocol/output.ts';

/** The document that a template's text goes into. */
export interface Document {
  readonly kind: DocumentKind;
  readonly path: string;
  /** Done to the text that templates print into it. */
  readonly postProcess?: PostProcess | undefined;
  readonly createOnlyFields?: readonly string[];
}

/** Names of parts that are printed once begin with this; no name of a section does. */
export const onceMark = '\u0001once ';

/** What effects of templates cannot write to (`map maps/x.map`, `file general/y`), with the reason. */
export type TakenPaths = ReadonlyMap<string, string>;

/**
 * What a fragment contributes to the bundle; without owner, what a run of text of a whole template does. Throws a
 * `HAPTIC_ERR_TEMPLATE_RENDER` for text that its document cannot take.
 */
export function outputOf(fragment: Fragment, document: Document, taken: TakenPaths, owner?: Owner): Output {
  const owned = owner === undefined ? {} : { owner };
  // What becomes of lines that are processed after nobody knows.
  const isKnown = fragment.foreign !== undefined && document.postProcess === undefined;
  const printed: Printed = { ...owned, ...(isKnown ? { foreign: fragment.foreign } : {}) };
  const parts: Part[] = [];
  const entries: EntryPart[] = [];
  const listed: CrtListPart[] = [];
  const resources: DeclaredResource[] = [];
  for (const given of fragment.pieces) {
    const piece = processed(given, document.postProcess);
    if (document.kind === 'map') entries.push(...linesOf(piece, document.path, owned));
    else if (document.kind === 'crt-list') listed.push(...listedLines(piece, document.path, owned));
    else if (document.kind === 'resource') resources.push(...objectsOf(piece, document, owned));
    else parts.push(...partsOf(piece, document.kind, printed));
  }
  for (const { path, key, value, place } of fragment.entries) {
    refuseTaken(`map ${path}`, place, taken);
    entries.push({
      path,
      entry: { key: flat(key), value, text: flat(`${key} ${value}\n`), ...owned },
      place,
    });
  }
  for (const { path, place } of fragment.files) refuseTaken(`file ${path}`, place, taken);
  for (const effect of fragment.listed ?? []) listed.push(listedPart(effect, owned, taken));
  const by = owner ?? templateOwner('');
  const statusPatches = fragment.statusPatches?.map((patch) => ({ ...patch, owner: by }));
  const events = fragment.events?.map((event) => ({ ...event, owner: by }));
  // What all have comes first: behind a spread, V8 would give it a store of its own.
  return {
    parts: shared(parts),
    entries: shared(entries),
    files: shared(fragment.files),
    ...owned,
    ...(listed.length === 0 ? {} : { listed: shared(listed) }),
    ...(resources.length === 0 ? {} : { resources: shared(resources) }),
    ...(statusPatches === undefined ? {} : { statusPatches }),
    ...(events === undefined ? {} : { events }),
    ...(fragment.collected === undefined ? {} : { collected: fragment.collected }),
  };
}

function processed(piece: Piece, postProcess: PostProcess | undefined): Piece {
  if (postProcess === undefined || !('text' in piece)) return piece;
  return { ...piece, text: postProcess(piece.text) };
}

const none: readonly never[] = [];

/** Outputs are many and mostly have one kind of thing: the empty lists of all are one, and no list has room to grow. */
function shared<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? none : list.slice();
}

function listedPart({ path, place, ...fields }: CrtListEffect, owned: Owned, taken: TakenPaths): CrtListPart {
  refuseTaken(`crt-list ${path}`, place, taken);
  return { path, entry: { ...fields, text: flat(crtListLine(fields)), ...owned } };
}

type Owned = Pick<Section, 'owner'>;
type Printed = Pick<Section, 'owner' | 'foreign'>;

function partsOf(piece: Piece, kind: DocumentKind, printed: Printed): Part[] {
  switch (piece.kind) {
    case 'text':
      return textParts(piece.text, piece.place, kind, printed);
    case 'section': {
      const { name, place, text } = piece;
      return [
        {
          section: { kind: 'core', name, text: sectionText(text, printed), ...printed, template: place },
          name,
        },
      ];
    }
    case 'once': {
      const { key, place } = piece;
      const text = kind === 'file' ? piece.text : sectionText(piece.text, printed);
      return [
        { section: { kind: 'core', name: place, text, ...printed, template: place }, name: onceMark + key },
      ];
    }
    case 'backend': {
      const { backend, place } = piece;
      const { name } = backend;
      const text = flat(backend.text);
      const { owner } = printed;
      const section: Section = { kind: 'backend', name, text, ...printed, template: place };
      return [{ section, name, backend: { ...backend, text, ...(owner && { owner }) } }];
    }
    case 'profile': {
      const { profile, place } = piece;
      const { name, text } = profile;
      return [{ section: { kind: 'profile', name, text, ...printed, template: place }, name, profile }];
    }
    case 'slot':
      return [];
  }
}

/** Text of a file stays as it is. Text of the configuration is cut into its sections, unless it is a fragment's lines. */
function textParts(text: string, place: string, kind: DocumentKind, printed: Printed): Part[] {
  if (text === '') return [];
  if (kind === 'certificate') return pemParts(text, place, printed);
  if (kind === 'file') return [{ section: { kind: 'core', name: place, text, ...printed, template: place } }];
  const laid = layout(text, printed);
  if (printed.owner !== undefined)
    return laid === ''
      ? []
      : [{ section: { kind: 'core', name: place, text: laid, ...printed, template: place } }];
  return cutAtHeaders(laid).map((cut) => ({
    section: { kind: 'core', name: cut.name ?? place, text: cut.text, ...printed, template: place },
  }));
}

/** HAProxy is sent certificates line by line: what is between the blocks, and empty lines, have no place there. */
function pemParts(text: string, place: string, owned: Owned): Part[] {
  if (text.trim() === '') return [];
  const blocks = tried(place, () => pemBlocks([text]));
  return [{ section: { kind: 'core', name: place, text: blocks.text, ...owned, template: place } }];
}

/** A section of a fragment begins and ends its lines itself: what stands before it may have left its line open. */
function sectionText(text: string, owned: Owned): string {
  const laid = layout(text, owned);
  return owned.owner === undefined ? laid : `\n${laid}${laid.endsWith('\n') ? '' : '\n'}`;
}

function layout(text: string, { owner }: Owned): string {
  return owner === undefined ? tidy(text) : withoutEmptyLines(text);
}

/** Text of a map template: one entry per line, key and value parted by blanks; empty lines and comments are no entries. */
function linesOf(piece: Piece, path: string, owned: Owned): EntryPart[] {
  if (piece.kind !== 'text') return [];
  return piece.text.split('\n').flatMap((raw): EntryPart[] => {
    const line = trimBlanks(raw);
    if (line === '' || line.startsWith('#')) return [];
    return [{ path, entry: { ...entryOfLine(line, piece.place), ...owned }, place: piece.place }];
  });
}

/** Text of a crt-list template: one certificate with options and names per line; empty lines and comments are none. */
function listedLines(piece: Piece, path: string, owned: Owned): CrtListPart[] {
  if (piece.kind !== 'text') return [];
  return piece.text.split('\n').flatMap((raw): CrtListPart[] => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) return [];
    const fields = tried(piece.place, () => readCrtListLine(line));
    return [{ path, entry: { ...fields, text: flat(crtListLine(fields)), ...owned } }];
  });
}

function objectsOf(
  piece: Piece,
  { createOnlyFields = [] }: Document,
  owned: Owned,
): readonly DeclaredResource[] {
  if (piece.kind !== 'text') return [];
  const owner = owned.owner ?? templateOwner(piece.place.replace(/:\d+:\d+$/, ''));
  return tried(piece.place, () =>
    resourcesOfText(piece.text, { owner, place: piece.place, createOnlyFields }),
  );
}

function tried<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw renderError({ place, message: error.message, field: '', reason: 'TemplateFailed' });
  }
}

/** HAProxy parts words by these: other white space of Unicode is text. */
function trimBlanks(line: string): string {
  return line.replace(/^[ \t]+/, '').replace(/(?<![ \t])[ \t]+$/, '');
}

function entryOfLine(line: string, place: string): MapEntry {
  const [, key, value] = /^([^ \t]+)[ \t]+(.*)$/.exec(line) ?? [];
  try {
    if (key === undefined || value === undefined)
      throw new RangeError('a key, a space and a value are needed');
    return { key: mapKey(key), value: mapValue(value), text: `${key} ${value}\n` };
  } catch (error) {
    const message = `${JSON.stringify(line)} is no map entry: ${error instanceof Error ? error.message : ''}`;
    throw renderError({ place, message, field: '', reason: 'TemplateFailed' });
  }
}

function refuseTaken(what: string, place: string, taken: TakenPaths): void {
  const message = taken.get(what);
  if (message !== undefined) throw renderError({ place, message, field: '', reason: 'TemplateFailed' });
}
