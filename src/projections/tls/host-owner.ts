import { compareKeys } from '../../lib/ordered-map.ts';
import type { Owner } from '../../lib/owner.ts';

/** The oldest object that routes a host: whose namespace the host belongs to, unless an older one names it for a certificate. */
export interface HostOwner {
  readonly owner: Owner;
  /** Milliseconds since the epoch. */
  readonly created: number;
}

/** The oldest object first, then by namespace and name. */
export function compareHostOwners(a: HostOwner, b: HostOwner): number {
  return (
    a.created - b.created ||
    compareKeys(a.owner.namespace, b.owner.namespace) ||
    compareKeys(a.owner.name, b.owner.name)
  );
}
