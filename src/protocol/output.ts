import type { Owner } from '../lib/owner.ts';
import type { DeclaredEvent, DeclaredResource, StatusPatch } from './declared.ts';
import type { Backend, CrtListEntry, FileKind, MapEntry, Profile, Section } from './plan.ts';

/** What a fragment (or the text of a template around them) contributes to the bundle. Plain data, compared for early cutoff. */
export interface Output {
  /** Absent for what templates print by themselves. */
  readonly owner?: Owner;
  /** In print order. */
  readonly parts: readonly Part[];
  readonly entries: readonly EntryPart[];
  readonly files: readonly FilePart[];
  /** Absent: none. */
  readonly listed?: readonly CrtListPart[];
  /** Absent: none, here and below. */
  readonly resources?: readonly DeclaredResource[];
  readonly statusPatches?: readonly StatusPatch[];
  readonly events?: readonly DeclaredEvent[];
  /** Values for collections of the templates' own. */
  readonly collected?: readonly CollectedPart[];
}

export interface CollectedPart {
  readonly collection: string;
  readonly key: string;
  readonly value: unknown;
}

/**
 * A run of text of the document. A part with a `name` claims it: of two claims of one name, one is printed.
 */
export interface Part {
  readonly section: Section;
  readonly name?: string;
  readonly backend?: Backend;
  readonly profile?: Profile;
}

/** An entry of a map: by key where keys are unique, else by its place in print order. */
export interface EntryPart {
  readonly path: string;
  readonly entry: MapEntry;
  readonly place: string;
}

/** A line of a crt-list. */
export interface CrtListPart {
  readonly path: string;
  readonly entry: CrtListEntry;
}

export interface FilePart {
  readonly path: string;
  readonly kind: FileKind;
  readonly reloadOnChange: boolean;
  readonly text: string;
  readonly place: string;
}
