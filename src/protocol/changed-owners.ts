import { digest } from '../lib/digest.ts';
import { diffOrderedMaps } from '../lib/ordered-map.ts';
import { formatOwner, type Owner } from '../lib/owner.ts';
import type { Output } from './output.ts';
import type { Outputs } from './provenance.ts';

/** An object whose output differs between two renders. */
export interface ChangedOwner {
  readonly owner: Owner;
  /** It has an output in the former render that is gone or replaced in the newer. */
  readonly wasThere: boolean;
  /** Its newer outputs by place, of those that differ. */
  readonly outputs: ReadonlyMap<string, Output | undefined>;
}

/**
 * Objects whose output differs from one render to another, by `formatOwner`. A place that went from one object to another is a
 * change of both. O(what differs), since renders share what did not change.
 */
export function changedOwners(before: Outputs, after: Outputs): ReadonlyMap<string, ChangedOwner> {
  const changed = new Map<
    string,
    { owner: Owner; wasThere: boolean; outputs: Map<string, Output | undefined> }
  >();
  const note = (owner: Owner | undefined, place: string, output: Output | undefined, was: boolean) => {
    if (owner === undefined) return;
    const key = formatOwner(owner);
    const entry = changed.get(key);
    if (entry === undefined) changed.set(key, { owner, wasThere: was, outputs: new Map([[place, output]]) });
    else {
      entry.wasThere ||= was;
      entry.outputs.set(place, output);
    }
  };
  for (const { key: place, before: was, after: is } of diffOrderedMaps(before, after)) {
    note(was?.owner, place, is, true);
    note(is?.owner, place, is, false);
  }
  return changed;
}

/** Tells one content of an object from another: equal for equal outputs at equal places. */
export function outputsDigest(outputs: ReadonlyMap<string, Output | undefined>): string {
  const places = [...outputs].sort(([a], [b]) => (a < b ? -1 : 1));
  return digest(JSON.stringify(places.map(([place, output]) => [place, output ?? null])));
}
