import type { Collection, Graph, Reader } from '../../collections/types.ts';
import type { Owner } from '../../lib/owner.ts';
import type { ServiceFacts } from '../endpoints/service-facts.ts';
import { sharedOwner } from '../shared-owner.ts';
import { joinPolicies } from '../policies/join-policies.ts';
import type { RoutePolicy } from '../policies/route-policy.ts';
import type { Claim } from './claim.ts';
import { type CanaryClaim, chooseCandidates } from './choose-candidates.ts';
import { chooseRoute, type IngressRoute } from './choose-route.ts';
import { closedRoute } from './closed-route.ts';
import { compareClaims } from './compare-claims.ts';

export interface RouteSources {
  readonly claims: Collection<Claim>;
  /** All claims to a host, by group. */
  readonly byGroup: Collection<readonly Claim[]>;
  /** Who has hosts handed on, by group. */
  readonly passedBy: Collection<Claim>;
  /** By `namespace/name` of the Ingress and of the Service. */
  readonly ingressPolicies: Collection<RoutePolicy>;
  readonly servicePolicies: Collection<RoutePolicy>;
  /** By `namespace/name` of the Service. */
  readonly serviceFacts: Collection<ServiceFacts>;
}

/**
 * One route per group, match and path: the winner of all claims to it, and its canaries. A new claim touches its rivals and nothing else.
 *
 * A host that is handed on has routes of the namespace that does so, and of no other. What that object itself names is closed, so that nobody else's wildcard
 * or rule for every host takes it: not while connections cannot be handed on, and not over HTTP.
 */
export function createIngressRoutes(
  graph: Graph,
  { claims, byGroup, passedBy, ingressPolicies, servicePolicies, serviceFacts }: RouteSources,
): Collection<IngressRoute> {
  const rivals = graph.groupEntriesBy(
    'ingress.rivals',
    claims,
    ({ group, match, path }) => `${group} ${match} ${path}`,
  );
  return graph.mapEntries(
    'routes',
    rivals,
    (group, _key, reader) => {
      const said = ({ namespace, name }: Owner) => reader.read(ingressPolicies, `${namespace}/${name}`);
      const policyOf = ({ ref, path }: Claim, by: Owner) =>
        joinPolicies(
          said(by),
          ref && reader.read(servicePolicies, `${ref.namespace}/${ref.service}`),
          { path, port: ref?.port },
          ref && reader.read(serviceFacts, `${ref.namespace}/${ref.service}`),
        );
      const own: Claim[] = [];
      const canaries: CanaryClaim[] = [];
      const isLookedInto = lookedInto(reader, ingressPolicies);
      const host = group[0]?.group ?? '';
      const passed = reader.read(passedBy, host)?.owner;
      const looked = group.filter(
        (claim) =>
          isLookedInto(claim) && (passed === undefined || passed.namespace === claim.owner.namespace),
      );
      for (const claim of looked) {
        const { canary, closed = false } = said(claim.owner) ?? {};
        if (canary === undefined) own.push(claim);
        else canaries.push({ ...claim, canary, closed });
      }
      const main = chooseRoute(own, reader, (claim) => policyOf(claim, claim.owner));
      const route = canaries.length === 0 ? main : chooseCandidates(main, canaries, reader, policyOf);
      if (route !== undefined) return route;
      const [passing] = group.filter((claim) => !isLookedInto(claim)).sort(compareClaims);
      if (passing === undefined || passing.kind === 'any') return undefined;
      const isServed = passed === undefined && (reader.read(byGroup, host) ?? []).some(isLookedInto);
      return isServed ? undefined : closedRoute(passing);
    },
    {
      reads: [byGroup, passedBy, ingressPolicies, servicePolicies, serviceFacts],
      ownerOf: sharedOwner,
    },
  );
}

/** Whoever has connections handed on as they are has no routes. */
function lookedInto(reader: Pick<Reader, 'read'>, policies: Collection<RoutePolicy>) {
  return ({ owner }: Claim): boolean => {
    const policy = reader.read(policies, `${owner.namespace}/${owner.name}`);
    return policy?.passthrough !== true || policy.closed;
  };
}
