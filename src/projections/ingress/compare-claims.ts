import { compareKeys } from '../../lib/ordered-map.ts';
import type { Claim } from './claim.ts';

/**
 * Who wins when two claims are the same: those for hosts of rules, then the oldest object, then namespace, then name. Within an object the longest path has priority, as
 * Kubernetes documents it: of `/foo/` and `/foo`, which match the same, the one with the slash; then the place.
 */
export function compareClaims(a: Claim, b: Claim): number {
  return (
    Number(a.beside ?? false) - Number(b.beside ?? false) ||
    a.created - b.created ||
    compareKeys(a.owner.namespace, b.owner.namespace) ||
    compareKeys(a.owner.name, b.owner.name) ||
    Number(b.slashed ?? false) - Number(a.slashed ?? false) ||
    a.position - b.position
  );
}
