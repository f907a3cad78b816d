import type { Collection, Graph, Reader } from '../../collections/types.ts';
import type { Owner } from '../../lib/owner.ts';
import { sharedOwner } from '../shared-owner.ts';
import { joinPolicies } from '../policies/join-policies.ts';
import type { PolicyShape } from '../policies/policy-shape.ts';
import type { RoutePolicy } from '../policies/route-policy.ts';
import type { Claim } from './claim.ts';
import { type CanaryClaim, chooseCandidates } from './choose-candidates.ts';
import { chooseRoute, type IngressRoute } from './choose-route.ts';

export interface RouteSources {
  readonly claims: Collection<Claim>;
  /** By `namespace/name` of the Ingress and of the Service. */
  readonly ingressPolicies: Collection<RoutePolicy>;
  readonly servicePolicies: Collection<RoutePolicy>;
  /** By `namespace/name` of the Service. */
  readonly serviceShapes: Collection<PolicyShape>;
}

/** One route per group, match and path: the winner of all claims to it, and its canaries. A new claim touches its rivals and nothing else. */
export function createIngressRoutes(
  graph: Graph,
  { claims, ingressPolicies, servicePolicies, serviceShapes }: RouteSources,
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
          path,
          ref && reader.read(serviceShapes, `${ref.namespace}/${ref.service}`),
        );
      const own: Claim[] = [];
      const canaries: CanaryClaim[] = [];
      for (const claim of group.filter(isLookedInto(reader, ingressPolicies))) {
        const { canary, closed = false } = said(claim.owner) ?? {};
        if (canary === undefined) own.push(claim);
        else canaries.push({ ...claim, canary, closed });
      }
      const route = chooseRoute(own, reader, (claim) => policyOf(claim, claim.owner));
      return canaries.length === 0 ? route : chooseCandidates(route, canaries, reader, policyOf);
    },
    { reads: [ingressPolicies, servicePolicies, serviceShapes], ownerOf: sharedOwner },
  );
}

/** Whoever has connections handed on as they are has no routes. */
function isLookedInto(reader: Pick<Reader, 'read'>, policies: Collection<RoutePolicy>) {
  return ({ owner }: Claim): boolean => {
    const policy = reader.read(policies, `${owner.namespace}/${owner.name}`);
    return policy?.passthrough !== true || policy.closed;
  };
}
