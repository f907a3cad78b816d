import { createHash } from 'node:crypto';
import type { Reader } from '../../collections/types.ts';
import { formatOwner, type Owner } from '../../lib/owner.ts';
import { backendKey } from '../backend-key.ts';
import type { Choice, ChoiceMatch, ChoiceShare } from '../model.ts';
import type { Canary } from '../policies/canary.ts';
import type { JoinedPolicy } from '../policies/join-policies.ts';
import { routeTarget } from '../route-target.ts';
import { type Candidate, describeClaim, type IngressRoute } from './choose-route.ts';
import type { Claim } from './claim.ts';
import { joinedRef } from './joined-ref.ts';
import { compareClaims } from './compare-claims.ts';

/** A claim to a part of what another one is served for. */
export interface CanaryClaim extends Claim {
  readonly canary: Canary;
  /** What restricts it could not be understood. */
  readonly closed: boolean;
}

/** Each may be one more rule in the frontends. */
const mostCandidates = 8;
/** HAProxy's random numbers are below this. */
const range = 2 ** 32;

/**
 * Adds to a route where else its requests may go. Canaries are of the route's own namespace, and what is said of requests is what the route's owner says, whoever
 * answers: `policyOf` is asked with that owner. The oldest canary is asked first.
 */
export function chooseCandidates(
  route: IngressRoute | undefined,
  canaries: readonly CanaryClaim[],
  reader: Pick<Reader, 'report'>,
  policyOf: (claim: Claim, by: Owner) => JoinedPolicy,
): IngressRoute | undefined {
  const report = ({ field, owner }: Claim, reason: string, message: string) =>
    reader.report({ severity: 'error', reason, field, message, owner });
  if (route === undefined) {
    for (const canary of canaries) {
      report(
        canary,
        'CanaryMainMissing',
        `${describeClaim(canary)} is served by no other Ingress: it gets no requests`,
      );
    }
    return undefined;
  }
  const candidates: Candidate[] = [];
  const matches = new Map<string, ChoiceMatch>();
  const shares: ChoiceShare[] = [];
  let taken = 0;
  for (const claim of [...canaries].sort(compareClaims)) {
    const { canary, closed, ref, owner, backendField } = claim;
    if (owner.namespace !== route.owner.namespace) {
      report(
        claim,
        'CanaryConflict',
        `${describeClaim(claim)} is served by ${formatOwner(route.owner)} of another namespace`,
      );
      continue;
    }
    if (candidates.length === mostCandidates) {
      report(claim, 'CanaryConflict', `${describeClaim(claim)} has ${mostCandidates} canaries already`);
      continue;
    }
    const policy = policyOf(claim, route.owner);
    if (closed || ref === undefined || route.ref === undefined || policy.kind === 'closed') continue;
    const { rule } = policy;
    const to = joinedRef(ref, policy, route.owner);
    const backend = backendKey(to);
    const target = routeTarget({ backend, ...(rule !== undefined && { rule }) });
    candidates.push({ ref: to, backend, backendField, owner });
    for (const { kind, name, value, takes } of canary.matches) {
      const key = `${kind} ${name} ${value}`;
      if (!matches.has(key)) matches.set(key, { kind, name, value, target: takes ? target : route.target });
    }
    taken = Math.min(1, taken + canary.share);
    if (canary.share > 0) shares.push({ below: Math.floor(range * taken), target });
  }
  if (matches.size === 0 && shares.length === 0) return route;
  const key = choiceKey(route);
  const choice: Choice = { key, matches: [...matches.values()], shares, owner: route.owner };
  return {
    ...route,
    choice: key,
    target: routeTarget({ ...route, choice: key }),
    candidates,
    choices: choice,
  };
}

/** No stranger can find another route with the same. */
function choiceKey({ group, match, path }: IngressRoute): string {
  return createHash('sha256').update(`${group} ${match} ${path}`).digest('hex').slice(0, 32);
}
