import type { Collection, Graph } from '../../collections/types.ts';
import { formatOwner } from '../../lib/owner.ts';
import { annotationField } from '../policies/annotation-field.ts';
import type { ServedHost } from './create-tls-hosts.ts';
import type { HostClaim } from './host-claim.ts';
import { secretKey } from './secret-key.ts';

/**
 * Tells objects whose clients are asked for certificates of other authorities than theirs, so that nobody gets to their routes of that host. The entries say whether
 * there is such an object.
 *
 * @param byHost all claims to a host
 */
export function createClientChecks(
  graph: Graph,
  byHost: Collection<readonly HostClaim[]>,
  hosts: Collection<ServedHost>,
): Collection<boolean> {
  return graph.mapEntries(
    'tls.client-checks',
    byHost,
    (claims, host, reader) => {
      const asking = claims.filter(({ settings }) => settings?.clientCa !== undefined);
      if (asking.length === 0) return undefined;
      const served = reader.read(hosts, host);
      const wanted = served?.settings?.clientCa;
      if (served === undefined) return undefined;
      const lost = asking.filter(
        ({ settings }) =>
          wanted === undefined ||
          settings?.clientCa === undefined ||
          secretKey(settings.clientCa) !== secretKey(wanted),
      );
      const who = wanted === undefined ? 'no certificates' : `certificates of Secret ${secretKey(wanted)}`;
      for (const { owner } of lost)
        reader.report({
          severity: 'error',
          reason: 'ConflictLost',
          field: annotationField('auth-tls-secret'),
          message: `clients of host ${host} are asked for ${who}, as ${formatOwner(served.owner)} decides: nobody gets to its routes of that host`,
          owner,
        });
      return lost.length > 0;
    },
    { reads: [hosts], ownerOf: ([first]) => first?.owner ?? { kind: 'Route', namespace: '', name: '' } },
  );
}
