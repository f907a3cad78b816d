import type { Collection, Graph } from '../../collections/types.ts';
import type { ClientAuthority } from '../model.ts';
import type { ServedHost } from './create-tls-hosts.ts';
import type { TrustState } from './create-trust.ts';
import { secretKey } from './secret-key.ts';
import { wildcardOf } from './wildcard-of.ts';

/**
 * Whose clients are asked for a certificate in the handshake, by the host that it names. A host below a wildcard that asks and that has an entry of its own which does not
 * says so, since HAProxy goes by its own entry.
 */
export function createClientAuthorities(
  graph: Graph,
  hosts: Collection<ServedHost>,
  trust: Collection<TrustState>,
): Collection<ClientAuthority> {
  const asking = graph.mapEntries(
    'tls.asking-hosts',
    hosts,
    ({ host, settings, owner }, _key, reader): ClientAuthority | undefined => {
      const { clientCa, minVersion } = settings ?? {};
      if (clientCa === undefined || reader.read(trust, secretKey(clientCa)) === undefined) return undefined;
      const authority = `${clientCa.namespace}_${clientCa.name}`;
      return { group: host, authority, ...(minVersion !== undefined && { minVersion }), owner };
    },
    { reads: [trust], ownerOf: ({ owner }) => owner },
  );
  return graph.mapEntries(
    'clientAuthorities',
    hosts,
    ({ host, owner }, key, reader): ClientAuthority | undefined => {
      const own = reader.read(asking, key);
      if (own !== undefined || host.startsWith('*.')) return own;
      return reader.read(asking, wildcardOf(host)) && { group: host, authority: 'none', owner };
    },
    { reads: [asking], ownerOf: ({ owner }) => owner },
  );
}
