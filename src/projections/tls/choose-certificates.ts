import { compareKeys } from '../../lib/ordered-map.ts';
import { formatOwner } from '../../lib/owner.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Problem } from '../../lib/problem.ts';
import { compareHostClaims } from './compare-host-claims.ts';
import type { HostClaim } from './host-claim.ts';
import type { KeyType } from './parse-certificate.ts';
import { secretKey } from './secret-key.ts';
import { settingsFor } from './settings-for.ts';
import type { TlsSettings } from './tls-settings.ts';

/** The certificates that a host is served with. */
export interface ChosenCertificates {
  readonly host: string;
  /** Keys of their Secrets, one for each type of key; the empty one is the default certificate. */
  readonly secrets: readonly string[];
  /** Of a wildcard: hosts that routes of the same object name. */
  readonly covers: readonly string[];
  /** What the winner says of the host, and other objects of its namespace that say what it does not. */
  readonly settings?: TlsSettings;
  readonly owner: Owner;
  /** Creation time of the owner in milliseconds. */
  readonly created: number;
}

/**
 * Which of several claims to a host counts: whoever names it before whoever only has a certificate for it, then the oldest object, then
 * namespace and name, then the place within the object; one whose certificate cannot be served makes room for the next.
 *
 * The same object may add a certificate with another type of key, and clients are shown the one that they understand. No other object may:
 * most clients would be shown its certificate.
 *
 * @param typeOf type of the key of what is served of a Secret; undefined: nothing is
 */
export function chooseCertificates(
  claims: readonly HostClaim[],
  typeOf: (secret: string) => KeyType | undefined,
  report: (problem: Problem) => void,
): ChosenCertificates | undefined {
  const ordered = [...claims].sort(compareHostClaims);
  const asking = ordered.filter(({ settingsOnly }) => settingsOnly !== true);
  const usable = asking.flatMap((claim) => {
    const secret = claim.secret === undefined ? '' : secretKey(claim.secret);
    const type = typeOf(secret);
    return type === undefined ? [] : [{ claim, secret, type }];
  });
  const [winner] = usable;
  if (winner === undefined) return undefined;
  const chosen = new Map([[winner.type, winner.secret]]);
  for (const { claim, secret, type } of usable) {
    const own = sameOwner(claim.owner, winner.claim.owner);
    if (own && !chosen.has(type)) chosen.set(type, secret);
    if ([...chosen.values()].includes(secret) || claim.byCertificate) continue;
    const by = own ? 'of the same object' : `of the older ${formatOwner(winner.claim.owner)}`;
    report({
      severity: 'error',
      reason: 'ConflictLost',
      field: claim.field,
      message: `the certificate of host ${claim.host} is ${describe(winner.secret)} ${by}, not ${describe(secret)}`,
      owner: claim.owner,
    });
  }
  const settings = settingsFor(winner.claim.owner, ordered);
  return {
    host: winner.claim.host,
    secrets: [...chosen.values()].sort(compareKeys),
    covers: winner.claim.covers ?? [],
    ...(settings === undefined ? {} : { settings }),
    owner: winner.claim.owner,
    created: winner.claim.created,
  };
}

function sameOwner(a: Owner, b: Owner): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}

function describe(secret: string): string {
  return secret === '' ? 'the default one' : `that of Secret ${secret}`;
}
