import { compareKeys } from '../../lib/ordered-map.ts';
import type { HostClaim } from './host-claim.ts';

/** The claim that counts first comes first: see `chooseCertificates`. */
export function compareHostClaims(a: HostClaim, b: HostClaim): number {
  return (
    Number(a.byCertificate) - Number(b.byCertificate) ||
    a.created - b.created ||
    compareKeys(a.owner.namespace, b.owner.namespace) ||
    compareKeys(a.owner.name, b.owner.name) ||
    a.position - b.position
  );
}
