import type { Collection, Graph } from '../../collections/types.ts';
import type { Host } from '../model.ts';
import { sharedOwner } from '../shared-owner.ts';
import type { Claim } from './claim.ts';

/** The host groups that claims are about, by group; one that several Ingresses name is owned by the first of them by key. */
export function createIngressHosts(
  graph: Graph,
  claims: Collection<Claim>,
): { readonly hosts: Collection<Host>; readonly byGroup: Collection<readonly Claim[]> } {
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
  return { hosts, byGroup };
}
