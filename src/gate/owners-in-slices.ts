import { type OrderedMap, valuesOf } from '../lib/ordered-map.ts';
import { formatOwner, type Owner } from '../lib/owner.ts';
import type { Slices } from '../lib/slices.ts';
import type { Output } from '../protocol/output.ts';

/** Outputs between two pauses. */
const batch = 1_024;

/** Objects that have an output, by `formatOwner`, as a set of its own. O(all outputs). */
export function* ownersInSlices(outputs: OrderedMap<Pick<Output, 'owner'>>): Slices<Set<string>> {
  const keys = new Set<string>();
  let last: Owner | undefined;
  let count = 0;
  for (const { owner } of valuesOf(outputs)) {
    if (owner !== undefined && owner !== last) keys.add(formatOwner(owner));
    last = owner;
    if (++count % batch === 0) yield;
  }
  return keys;
}
