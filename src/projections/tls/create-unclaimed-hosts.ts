import type { Collection, Graph } from '../../collections/types.ts';
import type { Listener } from '../model.ts';
import type { ServedHost } from './create-tls-hosts.ts';
import { covers } from './covers.ts';
import type { HostOwner } from './host-owner.ts';
import { wildcardOf } from './wildcard-of.ts';

export interface UnclaimedSources {
  /** The hosts that something is said of. */
  readonly claimed: Collection<ServedHost>;
  readonly listeners: Collection<Listener>;
  /** Who routes hosts, by host or wildcard. */
  readonly hostOwners: Collection<HostOwner>;
}

/**
 * Hosts that are routed, that nobody says anything of, and that are below a wildcard which is not for them: they go on having the default certificate, and what is said of
 * all. Of any other host nothing is kept here.
 */
export function createUnclaimedHosts(
  graph: Graph,
  { claimed, listeners, hostOwners }: UnclaimedSources,
): Collection<ServedHost> {
  return graph.mapEntries(
    'tls.unclaimed-hosts',
    hostOwners,
    (routedBy, host, reader): ServedHost | undefined => {
      if (host.startsWith('*')) return undefined;
      const wildcard = reader.read(claimed, wildcardOf(host));
      if (wildcard === undefined || covers(wildcard, routedBy)) return undefined;
      if (reader.read(claimed, host) !== undefined) return undefined;
      if (reader.read(listeners, 'https')?.hasDefault !== true) return undefined;
      const { owner, created } = routedBy;
      return { host, secrets: [''], covers: [], isBare: true, owner, created };
    },
    { reads: [claimed, listeners], ownerOf: ({ owner }) => owner },
  );
}
