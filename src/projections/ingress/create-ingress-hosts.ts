import type { Collection, Graph } from '../../collections/types.ts';
import type { Host } from '../model.ts';
import type { Claim } from './claim.ts';

/** The host groups that claims are about, by group; one that several Ingresses name is owned by the first of them. */
export function createIngressHosts(graph: Graph, claims: Collection<Claim>): Collection<Host> {
  return graph.flatMapEntries(
    'hosts',
    claims,
    ({ host, kind, group, owner }) => [[group, { host, kind, group, owner }] as const],
    { ownerOf: (claim) => claim.owner },
  );
}
