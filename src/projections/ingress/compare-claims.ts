import { compareKeys } from '../../lib/ordered-map.ts';
import type { Claim } from './claim.ts';

/** Who wins when two claims are the same: those for hosts of rules, then the oldest object, then namespace, then name, then the place within the object. */
export function compareClaims(a: Claim, b: Claim): number {
  return (
    Number(a.beside ?? false) - Number(b.beside ?? false) ||
    a.created - b.created ||
    compareKeys(a.owner.namespace, b.owner.namespace) ||
    compareKeys(a.owner.name, b.owner.name) ||
    a.position - b.position
  );
}
