import { formatOwner } from '../../lib/owner.ts';
import type { Problem } from '../../lib/problem.ts';
import { compareHostClaims } from './compare-host-claims.ts';
import type { HostClaim } from './host-claim.ts';
import { compareHostOwners, type HostOwner } from './host-owner.ts';

/**
 * The claims to a host of the namespace that it belongs to: that of the oldest object that routes it or names it for a certificate, else that of a certificate for it. What
 * others say of it has no effect, and they are told.
 */
export function ownClaims(
  claims: readonly HostClaim[],
  routedBy: HostOwner | undefined,
  report: (problem: Problem) => void,
): readonly HostClaim[] {
  const [first] = claims;
  if (first === undefined) return [];
  // Mostly there is one, and it is of whoever routes the host.
  if (claims.every(({ owner }) => owner.namespace === (routedBy?.owner ?? first.owner).namespace))
    return claims;
  const ordered = [...claims].sort(compareHostClaims);
  const named = ordered.find(({ byCertificate, settingsOnly }) => !byCertificate && settingsOnly !== true);
  const [oldest = ordered[0]] = [routedBy, named].filter((one) => one !== undefined).sort(compareHostOwners);
  if (oldest === undefined) return [];
  const { namespace } = oldest.owner;
  for (const { owner, host, field, byCertificate } of ordered)
    if (owner.namespace !== namespace && !byCertificate)
      report({
        severity: 'error',
        reason: 'ConflictLost',
        field,
        message: `host ${host} belongs to the namespace of the older ${formatOwner(oldest.owner)}: what is said of its TLS here has no effect`,
        owner,
      });
  return claims.filter(({ owner }) => owner.namespace === namespace);
}
