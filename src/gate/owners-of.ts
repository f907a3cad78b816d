import { type OrderedMap, valuesOf } from '../lib/ordered-map.ts';
import { formatOwner, type Owner } from '../lib/owner.ts';
import type { Output } from '../protocol/output.ts';

/** Objects that have an output, by `formatOwner`. O(all outputs). */
export function ownersOf(outputs: OrderedMap<Pick<Output, 'owner'>>): ReadonlySet<string> {
  const keys = new Set<string>();
  let last: Owner | undefined;
  for (const { owner } of valuesOf(outputs)) {
    if (owner !== undefined && owner !== last) keys.add(formatOwner(owner));
    last = owner;
  }
  return keys;
}
