import { issueAuthority } from '../certificates/issue-authority.ts';
import { issueIdentity } from '../certificates/issue-identity.ts';

const validityMs = 3650 * 24 * 3_600_000;

/** PEM of a certificate with its issuer and key that no one trusts and that are used nowhere: for checks in place of real ones. */
export async function standInCertificate(now: number): Promise<string> {
  const authority = await issueAuthority(now, validityMs);
  const { cert, key } = await issueIdentity(authority, {
    role: 'server',
    dnsName: 'stand-in.invalid',
    now,
    validityMs,
  });
  return `${cert}${authority.cert}${key}`;
}
