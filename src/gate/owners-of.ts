import type { OrderedMap } from '../lib/ordered-map.ts';
import { runSlices } from '../lib/run-slices.ts';
import type { Output } from '../protocol/output.ts';
import { ownersInSlices } from './owners-in-slices.ts';

/** See {@link ownersInSlices}: all at once. */
export function ownersOf(outputs: OrderedMap<Pick<Output, 'owner'>>): ReadonlySet<string> {
  return runSlices(ownersInSlices(outputs));
}
