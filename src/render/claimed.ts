import { formatOwner, type Owner } from '../lib/owner.ts';
import type { Problem } from '../lib/problem.ts';
import type { Settlement } from './claims.ts';
import { templateOwner } from './owner-of.ts';

/** Something under a unique name, with whom and what to blame when there are two. */
export interface Claimed<T> {
  readonly item: T;
  /** Two claims of equal content are no conflict: one is printed, nobody is the loser. */
  readonly content: string;
  readonly owner: Owner | undefined;
  readonly place: string;
}

/** One problem for each claim that lost with other content than the winner's. */
export function conflictsOf<T>(
  what: string,
  reason: string,
  { name, after, others }: Settlement<Claimed<T>>,
): readonly Problem[] {
  if (after === undefined) return [];
  return others
    .filter((other) => other.value.content !== after.value.content)
    .map(({ value }) => ({
      severity: 'error',
      reason,
      field: '',
      message: `${what} ${name} is left out here (${value.place}): ${formatOwner(ownerOf(after.value))} has it already`,
      owner: ownerOf(value),
    }));
}

function ownerOf({ owner, place }: Claimed<unknown>): Owner {
  return owner ?? templateOwner(place.replace(/:\d+:\d+$/, ''));
}
