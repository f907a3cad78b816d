import type { Collection, Graph } from '../../collections/types.ts';
import type { Host } from '../model.ts';
import { sharedOwner } from '../shared-owner.ts';
import type { Claim } from './claim.ts';

/** The host groups that claims are about, by group; one that several Ingresses name is owned by the first of them by key. */
export function createIngressHosts(graph: Graph, claims: Collection<Claim>): Collection<Host> {
  const byGroup = graph.groupEntriesBy('ingress.claims-by-host', claims, ({ group }) => group);
  return graph.mapEntries(
    'hosts',
    byGroup,
    ([first]) => {
      if (first === undefined) return undefined;
      const { host, kind, group, owner } = first;
      return { host, kind, group, owner };
    },
    { ownerOf: sharedOwner },
  );
}
