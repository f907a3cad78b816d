import type { Owner } from '../lib/owner.ts';
import type { Bundle } from '../protocol/bundle.ts';
import { noQuarantine, type Hold, type Outputs, type Quarantine } from '../protocol/provenance.ts';

/** An object that is held, and why. */
export interface QuarantineEntry extends Hold {
  /** `suspected`: refused together with others, and not told apart from them yet. `refused`: it was this object. */
  readonly state: 'suspected' | 'refused';
  /** Milliseconds since 1970. */
  readonly since: number;
  /** HAProxy's own words, of the first refusal that it explains. */
  readonly words: string;
  /** Digests of the contents that were refused, oldest first. */
  readonly refused: ReadonlySet<string>;
  /** When its content was checked last. */
  readonly triedAt: number;
}

/** One of the objects that are refused together, with the content that was. */
export interface Suspect {
  readonly key: string;
  readonly owner: Owner;
  readonly digest: string;
}

/**
 * A binary search for the object that makes a render refused: what the first `good` suspects say passes, what the first `bad`
 * say does not. `good` is -1 as long as nobody knows whether the render passes without any of them.
 */
export interface Search {
  readonly suspects: readonly Suspect[];
  readonly good: number;
  readonly bad: number;
  readonly words: string;
  /** The suspects beyond `good` are out of the released render. Not so before HAProxy accepted a first one. */
  readonly isHeld: boolean;
  /** Where they are not: what the render printed that was refused last. */
  readonly outputs?: Outputs;
  /** So many suspects, from the first on, did not change while it went on. Absent: all. */
  readonly calm?: number;
}

/** What the gate knows of good and bad objects. Immutable. */
export interface QuarantineState {
  readonly entries: ReadonlyMap<string, QuarantineEntry>;
  /** The entries for the renderer: the same object as long as the same ones are held at the same. */
  readonly quarantine: Quarantine;
  readonly generation?: object;
  /** The render that HAProxy accepted last, of this configuration. */
  readonly accepted?: Bundle;
  /** Outputs that an earlier process had accepted, under this configuration, as long as none of this process are. */
  readonly recalled?: Outputs;
  /** Objects that the former configuration served: they are not left out for the sake of a new one. */
  readonly served: ReadonlySet<string>;
  readonly search?: Search;
  /** Why nothing can be released: holding objects does not help. */
  readonly stuck?: string;
}

export const emptyQuarantine: QuarantineState = {
  entries: new Map(),
  quarantine: noQuarantine,
  served: new Set(),
};

/** What is held, for people. */
export interface QuarantinedObject {
  readonly owner: Owner;
  readonly kind: Hold['kind'];
  readonly state: QuarantineEntry['state'];
  readonly since: number;
  readonly words: string;
}

/** In order of kind, namespace and name. */
export function quarantinedObjects({ entries }: QuarantineState): readonly QuarantinedObject[] {
  return [...entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { owner, kind, state, since, words }]) => ({ owner, kind, state, since, words }));
}
