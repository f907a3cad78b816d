import type { HostOwner } from './host-owner.ts';

/**
 * Whether a wildcard is for a host below it that nobody gives a certificate: it is of the same namespace, or was there first. What comes later from elsewhere changes nothing
 * for a host that is served already.
 */
export function covers(
  wildcard: HostOwner,
  { owner, created }: Pick<HostOwner, 'created'> & { readonly owner: Pick<HostOwner['owner'], 'namespace'> },
): boolean {
  return wildcard.owner.namespace === owner.namespace || wildcard.created < created;
}
