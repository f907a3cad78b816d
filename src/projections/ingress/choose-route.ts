import type { Reader } from '../../collections/types.ts';
import { formatOwner } from '../../lib/owner.ts';
import { backendKey } from '../backend-key.ts';
import { routeTarget } from '../route-target.ts';
import { showValue } from '../show-value.ts';
import { unservableBackend } from '../unservable-backend.ts';
import type { BackendRef } from '../backend-ref.ts';
import type { Choice, Route } from '../model.ts';
import type { JoinedPolicy } from '../policies/join-policies.ts';
import type { Claim } from './claim.ts';
import { closedRoute } from './closed-route.ts';
import { joinedRef } from './joined-ref.ts';
import { compareClaims } from './compare-claims.ts';

/** Backend of the base library that sends requests to the host in the second word. */
const otherHostBackend = 'haptic-other-host';

/** A route with what is needed to tell its owner about the backend it names. */
export interface IngressRoute extends Route {
  readonly ref?: BackendRef;
  readonly backendField: string;
  /** Where else its requests may go, and what decides; both or none. */
  readonly candidates?: readonly Candidate[];
  readonly choices?: Choice;
}

/** Another backend of a route, and whom to tell about it. */
export type Candidate = Required<Pick<IngressRoute, 'ref' | 'backend' | 'backendField' | 'owner'>>;

/**
 * One claim of several equal ones is served: the oldest (see compareClaims). The others are reported to their owners,
 * except a repetition of the winner by the winner itself. That `/foo/` goes before `/foo` of the same object is no mistake in it, but worth a word.
 */
export function chooseRoute(
  claims: readonly Claim[],
  reader: Pick<Reader, 'report'>,
  policyOf: (claim: Claim) => JoinedPolicy,
): IngressRoute | undefined {
  const [winner, ...losers] = [...claims].sort(compareClaims);
  if (winner === undefined) return undefined;
  for (const loser of losers) {
    const own = sameOwner(loser, winner);
    if (own && servicePort(loser) === servicePort(winner)) continue;
    const older = loser.beside === winner.beside ? 'the older ' : '';
    const by = own ? `by ${winner.field} of the same object` : `by ${older}${formatOwner(winner.owner)}`;
    reader.report({
      severity: own && loser.slashed !== winner.slashed ? 'warning' : 'error',
      reason: 'ConflictLost',
      field: loser.field,
      message: `${describeClaim(loser)} is already served ${by}`,
      owner: loser.owner,
    });
  }
  const { group, match, path, owner, backendField } = winner;
  const policy = policyOf(winner);
  const common = { group, match, path, owner, backendField };
  if (policy.kind === 'closed') return closedRoute(winner);
  if (winner.redirectHost !== undefined) {
    const way = { backend: otherHostBackend, rule: winner.redirectHost };
    return { ...common, ...way, target: routeTarget(way) };
  }
  if (winner.ref === undefined) return { ...common, backend: unservableBackend, target: unservableBackend };
  const ref = joinedRef(winner.ref, policy, owner);
  const rule = policy.rule === undefined ? {} : { rule: policy.rule };
  const way = { backend: backendKey(ref), ...rule };
  return { ...common, ...way, target: routeTarget(way), ref };
}

function servicePort({ ref }: Claim): string {
  return ref === undefined ? unservableBackend : backendKey(ref);
}

function sameOwner(a: Claim, b: Claim): boolean {
  return a.owner.namespace === b.owner.namespace && a.owner.name === b.owner.name;
}

/** Names what is claimed, to begin a message with. */
export function describeClaim({ kind, group, match, path }: Claim): string {
  const host = kind === 'any' ? 'every host' : `host ${group}`;
  if (match === 'default') return `the default backend of ${host}`;
  return `path ${showValue(path === '' ? '/' : path)} (${match === 'exact' ? 'Exact' : 'Prefix'}) of ${host}`;
}
