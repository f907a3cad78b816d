import { valuesOf } from '../lib/ordered-map.ts';
import { formatOwner } from '../lib/owner.ts';
import type { Bundle } from '../protocol/bundle.ts';

/**
 * Objects that have an output or a problem in a render and whose `Kind namespace/name` contains all the words, in order of their names; at most
 * `limit` of them. O(all outputs).
 */
export function findObjects(
  { provenance, problems }: Pick<Bundle, 'provenance' | 'problems'>,
  words: string,
  limit: number,
): readonly string[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = new Set<string>();
  let last: unknown;
  const look = (owner: Parameters<typeof formatOwner>[0] | undefined): void => {
    if (owner === undefined || owner === last) return;
    last = owner;
    const object = formatOwner(owner);
    const lower = object.toLowerCase();
    if (wanted.every((word) => lower.includes(word))) found.add(object);
  };
  if (provenance !== undefined) for (const { owner } of valuesOf(provenance.outputs)) look(owner);
  for (const { owner } of problems) look(owner);
  return [...found].sort().slice(0, limit);
}
