import type { DeclaredEvent, StatusPatch } from '../protocol/declared.ts';
import type { FileKind } from '../protocol/plan.ts';
import type { Backend, Profile } from '../protocol/plan.ts';

/** What one run of a template (or of one forEach body for one item) gave: its text in pieces, and its effects. Plain data. */
export interface Fragment {
  readonly pieces: readonly Piece[];
  readonly entries: readonly MapEntryEffect[];
  readonly files: readonly FileEffect[];
  /** Absent: none. */
  readonly listed?: readonly CrtListEffect[];
  /** Absent: none, here and below. */
  readonly collected?: readonly CollectedEffect[];
  readonly statusPatches?: readonly StatusPatchEffect[];
  readonly events?: readonly EventEffect[];
  /** See `Section.foreign`. */
  readonly foreign?: readonly string[];
}

/** A run of output. `place` is `template:line:column` of what printed it. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly place: string }
  | { readonly kind: 'section'; readonly name: string; readonly text: string; readonly place: string }
  | { readonly kind: 'backend'; readonly backend: Backend; readonly place: string }
  /** Text that is printed once, by the first that has the key. */
  | { readonly kind: 'once'; readonly key: string; readonly text: string; readonly place: string }
  | { readonly kind: 'profile'; readonly profile: Profile; readonly place: string }
  /** Only in a whole template: the fragments of `slots[slot]` come here. */
  | { readonly kind: 'slot'; readonly slot: number };

export interface MapEntryEffect {
  readonly path: string;
  readonly key: string;
  readonly value: string;
  readonly place: string;
}

/** A line of a crt-list. */
export interface CrtListEffect {
  /** Of the list. */
  readonly path: string;
  readonly certificate: string;
  readonly options: readonly string[];
  readonly sniFilters: readonly string[];
  readonly place: string;
}

export interface FileEffect {
  readonly path: string;
  readonly kind: FileKind;
  readonly reloadOnChange: boolean;
  readonly text: string;
  readonly place: string;
}

/** A value for a collection of the templates' own. */
export interface CollectedEffect {
  readonly collection: string;
  readonly key: string;
  readonly value: unknown;
}

export type StatusPatchEffect = Omit<StatusPatch, 'owner'>;
export type EventEffect = Omit<DeclaredEvent, 'owner'>;
