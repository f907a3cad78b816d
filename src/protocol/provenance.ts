import type { OrderedMap } from '../lib/ordered-map.ts';
import type { Owner } from '../lib/owner.ts';
import type { Bundle } from './bundle.ts';
import type { StatusPatch } from './declared.ts';
import type { KeptOutputs } from './kept-outputs.ts';
import type { Output } from './output.ts';

/** Every output of one render by its place; versions share what did not change. */
export type Outputs = OrderedMap<Output>;

/**
 * How an object is held in a render: `pinned` to the outputs it had in `at`, or `excluded` as long as it has none there. What
 * it says now stays out of the render.
 */
export interface Hold {
  readonly kind: 'pinned' | 'excluded';
  readonly owner: Owner;
  /** Outputs of the render that HAProxy accepted last; empty when there was none. */
  readonly at: Outputs;
}

/** Objects that are held, by `formatOwner`. Compared by identity: the same object as long as nobody comes or goes. */
export type Quarantine = ReadonlyMap<string, Hold>;

export const noQuarantine: Quarantine = new Map();

/** A quarantine, and the configuration whose renders it is about. */
export interface HeldObjects {
  /** {@link Provenance.generation}; absent: nobody is held. */
  readonly generation?: object;
  readonly quarantine: Quarantine;
}

/** Where a render came from, for whoever has to tell good objects from bad ones. */
export interface Provenance {
  /** The same object for all renders of one configuration: places of two configurations cannot be compared. */
  readonly generation: object;
  /** Digest of what decides which places there are and what they mean: the same in every process of one configuration. */
  readonly configuration: string;
  /** As printed: with held objects at what they are held at. */
  readonly outputs: Outputs;
  /** What the render was made under. */
  readonly quarantine: Quarantine;
  /**
   * Held objects (by `formatOwner`) that say something else now than what they are held at, with a digest of it. The same
   * object as long as it has the same content.
   */
  readonly withheld: ReadonlyMap<string, string>;
  /** What such objects say now about a status. The same list as long as `withheld` is the same. */
  readonly withheldPatches: readonly StatusPatch[];
  /**
   * The render of this moment under another quarantine, for checking: O(what differs). The renderer itself stays as it is.
   * Undefined while a turn is half taken in, or after the configuration was replaced.
   */
  readonly candidate: (quarantine: Quarantine) => Bundle | undefined;
  /**
   * What another process kept, as outputs to hold objects at; those that are as in this render are the same objects. Undefined when
   * they are of another configuration. Left out are objects that are not there any more, and those with a file whose bytes
   * nobody knows.
   */
  readonly restore: (kept: KeptOutputs) => Outputs | undefined;
}
