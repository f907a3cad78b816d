import type { Collection, Graph } from '../../collections/types.ts';
import type { Host } from '../model.ts';
import { sharedOwner } from '../shared-owner.ts';
import type { HostOwner } from '../tls/host-owner.ts';
import type { Claim } from './claim.ts';
import { compareClaims } from './compare-claims.ts';

/** The host groups that claims are about, by group; one that several Ingresses name is owned by the first of them by key. */
export function createIngressHosts(
  graph: Graph,
  claims: Collection<Claim>,
): {
  readonly hosts: Collection<Host>;
  /** By group. */
  readonly owners: Collection<HostOwner>;
  readonly byGroup: Collection<readonly Claim[]>;
} {
  const byGroup = graph.groupEntriesBy('ingress.claims-by-host', claims, ({ group }) => group);
  const hosts = graph.mapEntries(
    'hosts',
    byGroup,
    ([first]): Host | undefined => {
      if (first === undefined) return undefined;
      const { host, kind, group, owner } = first;
      return { host, kind, group, owner };
    },
    { ownerOf: sharedOwner },
  );
  const owners = graph.mapEntries(
    'ingress.host-owners',
    byGroup,
    (group): HostOwner | undefined => {
      let oldest = group[0];
      for (const claim of group) if (oldest !== undefined && compareClaims(claim, oldest) < 0) oldest = claim;
      return oldest && { owner: oldest.owner, created: oldest.created };
    },
    { ownerOf: sharedOwner },
  );
  return { hosts, owners, byGroup };
}
