import type { Reader } from '../../collections/types.ts';
import { formatOwner } from '../../lib/owner.ts';
import { backendKey } from '../backend-key.ts';
import { showValue } from '../show-value.ts';
import { unservableBackend } from '../unservable-backend.ts';
import type { BackendRef } from '../backend-ref.ts';
import type { Route } from '../model.ts';
import type { Claim } from './claim.ts';
import { compareClaims } from './compare-claims.ts';

/** A route with what is needed to tell its owner about the backend it names. */
export interface IngressRoute extends Route {
  readonly ref?: BackendRef;
  readonly backendField: string;
}

/**
 * One claim of several equal ones is served: the oldest (see compareClaims). The others are reported to their owners,
 * except a repetition of the winner by the winner itself.
 */
export function chooseRoute(
  claims: readonly Claim[],
  reader: Pick<Reader, 'report'>,
): IngressRoute | undefined {
  const [winner, ...losers] = [...claims].sort(compareClaims);
  if (winner === undefined) return undefined;
  const backend = routeBackend(winner);
  for (const loser of losers) {
    const own = sameOwner(loser, winner);
    if (own && routeBackend(loser) === backend) continue;
    const by = own ? `by ${winner.field} of the same object` : `by the older ${formatOwner(winner.owner)}`;
    reader.report({
      severity: 'error',
      reason: 'ConflictLost',
      field: loser.field,
      message: `${describe(loser)} is already served ${by}`,
      owner: loser.owner,
    });
  }
  const { group, match, path, owner, backendField, ref } = winner;
  return { group, match, path, backend, owner, backendField, ...(ref === undefined ? {} : { ref }) };
}

function routeBackend(claim: Claim): string {
  return claim.ref === undefined ? unservableBackend : backendKey(claim.ref);
}

function sameOwner(a: Claim, b: Claim): boolean {
  return a.owner.namespace === b.owner.namespace && a.owner.name === b.owner.name;
}

function describe({ kind, group, match, path }: Claim): string {
  const host = kind === 'any' ? 'every host' : `host ${group}`;
  if (match === 'default') return `the default backend of ${host}`;
  return `path ${showValue(path === '' ? '/' : path)} (${match === 'exact' ? 'Exact' : 'Prefix'}) of ${host}`;
}
