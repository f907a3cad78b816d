import type { Collection, Graph } from '../../collections/types.ts';
import type { Listener } from '../model.ts';
import { type ChosenCertificates, chooseCertificates } from './choose-certificates.ts';
import { covers } from './covers.ts';
import { createClientChecks } from './create-client-checks.ts';
import { compareHostClaims } from './compare-host-claims.ts';
import type { HostClaim } from './host-claim.ts';
import type { HostOwner } from './host-owner.ts';
import { ownClaims } from './own-claims.ts';
import type { KeyType } from './parse-certificate.ts';
import { settingsFor } from './settings-for.ts';
import { createUnclaimedHosts } from './create-unclaimed-hosts.ts';
import { wildcardOf } from './wildcard-of.ts';

/** A host that is served by HTTPS in a way of its own. */
export interface ServedHost extends ChosenCertificates {
  /** Nobody gives it a certificate: it has the default one. */
  readonly isBare?: boolean;
}

export interface HostSources {
  readonly claims: Collection<HostClaim>;
  readonly keyTypes: Collection<KeyType>;
  readonly listeners: Collection<Listener>;
  /** Who routes hosts, by host or wildcard. */
  readonly hostOwners: Collection<HostOwner>;
}

/**
 * The certificates of each host and what is said of it. A host that something is said of and that nobody gives a certificate has that of the wildcard above it, if that is
 * for it (see `covers`), else the default one.
 */
export function createTlsHosts(
  graph: Graph,
  { claims, keyTypes, listeners, hostOwners }: HostSources,
): Collection<ServedHost> {
  const byHost = graph.groupEntriesBy('tls.claims-by-host', claims, ({ host }) => host);
  const asked = graph.mapEntries(
    'tls.asked-hosts',
    byHost,
    (group, host, reader) =>
      chooseCertificates(
        ownClaims(group, reader.read(hostOwners, host), (problem) => reader.report(problem)),
        (secret) =>
          secret === ''
            ? reader.read(listeners, 'https')?.hasDefault === true
              ? 'other'
              : undefined
            : reader.read(keyTypes, secret),
        (problem) => reader.report(problem),
      ),
    { reads: [keyTypes, listeners, hostOwners], ownerOf: ([first]) => first?.owner ?? noOwner },
  );
  const bare = graph.mapEntries('tls.bare-hosts', byHost, (group) =>
    group.every(({ settingsOnly }) => settingsOnly === true) ? group : undefined,
  );
  const served = graph.mapEntries(
    'tls.bare-hosts-served',
    bare,
    (group, host, reader): ServedHost | undefined => {
      const routedBy = reader.read(hostOwners, host);
      const own = ownClaims(group, routedBy, () => undefined);
      const ordered = [...own].sort(compareHostClaims);
      const [first] = ordered;
      if (first === undefined) return undefined;
      const { owner, created } = first;
      const settings = settingsFor(owner, ordered);
      const common = { host, covers: [], owner, created, ...(settings === undefined ? {} : { settings }) };
      const above = reader.read(asked, wildcardOf(host));
      if (above !== undefined && covers(above, routedBy ?? first))
        return { ...common, secrets: above.secrets };
      const { hasDefault } = reader.read(listeners, 'https') ?? {};
      return hasDefault === true ? { ...common, secrets: [''], isBare: true } : undefined;
    },
    { reads: [asked, listeners, hostOwners], ownerOf: ([first]) => first?.owner ?? noOwner },
  );
  const claimed = graph.unionEntries<ServedHost>('tls.claimed-hosts', asked, served);
  const unclaimed = createUnclaimedHosts(graph, { claimed, listeners, hostOwners });
  const hosts = graph.unionEntries<ServedHost>('tls.hosts', claimed, unclaimed);
  createClientChecks(graph, byHost, hosts);
  return hosts;
}

const noOwner = { kind: 'Route', namespace: '', name: '' };
