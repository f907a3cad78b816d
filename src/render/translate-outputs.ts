import { entriesOf, orderedMapFrom } from '../lib/ordered-map.ts';
import { formatOwner } from '../lib/owner.ts';
import type { Output } from '../protocol/output.ts';
import type { Outputs } from '../protocol/provenance.ts';

/** `Renderer.places` */
type Places = ReadonlyMap<string, string>;

/**
 * What objects printed under one configuration, at the places of another: as far as the other has the same forEach in the same
 * document. Nothing else of the outputs is kept. O(all outputs).
 *
 * @param owners whose, by `formatOwner`
 */
export function translateOutputs(
  outputs: Outputs,
  owners: ReadonlySet<string>,
  from: Places,
  to: Places,
): Outputs {
  const baseOf = new Map<string, string>();
  for (const [name, base] of from) {
    const target = to.get(name);
    if (target !== undefined) baseOf.set(base, target);
  }
  const translated: (readonly [string, Output])[] = [];
  for (const [place, output] of entriesOf(outputs)) {
    if (output.owner === undefined || !owners.has(formatOwner(output.owner))) continue;
    const end = place.indexOf('\u0000', place.indexOf('\u0000') + 1) + 1;
    const base = baseOf.get(place.slice(0, end));
    if (base !== undefined) translated.push([`${base}${place.slice(end)}`, output]);
  }
  return orderedMapFrom(translated);
}
