import type { Collection, Graph } from '../../collections/types.ts';
import { sharedOwner } from '../shared-owner.ts';
import type { Claim } from './claim.ts';
import { chooseRoute, type IngressRoute } from './choose-route.ts';

/** One route per group, match and path: the winner of all claims to it. A new claim touches its rivals and nothing else. */
export function createIngressRoutes(graph: Graph, claims: Collection<Claim>): Collection<IngressRoute> {
  const rivals = graph.groupEntriesBy(
    'ingress.rivals',
    claims,
    ({ group, match, path }) => `${group} ${match} ${path}`,
  );
  return graph.mapEntries('routes', rivals, (group, _key, reader) => chooseRoute(group, reader), {
    ownerOf: sharedOwner,
  });
}
