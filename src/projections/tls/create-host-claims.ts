import type { Collection, Graph } from '../../collections/types.ts';
import type { HostClaim } from './host-claim.ts';
import type { CertificateFacts } from './parse-certificate.ts';
import { secretKey } from './secret-key.ts';
import type { TlsUse } from './tls-use.ts';

/** Who wants which certificate for which host, one entry for each host that an object names or that its certificate is for. */
export function createHostClaims(
  graph: Graph,
  uses: Collection<TlsUse>,
  held: Collection<CertificateFacts>,
): Collection<HostClaim> {
  return graph.flatMapEntries(
    'tls.host-claims',
    uses,
    (use, key, reader) => {
      const { secret, owner, created, position, hosts, field, settingsOnly, settings } = use;
      const common = {
        ...{ owner, created, position },
        ...(secret === undefined ? {} : { secret }),
        ...(settingsOnly === true ? { settingsOnly } : {}),
        ...(settings === undefined ? {} : { settings }),
      };
      const claims = new Map<string, HostClaim>();
      const facts =
        use.byCertificate && secret !== undefined ? reader.read(held, secretKey(secret)) : undefined;
      for (const host of facts?.names ?? [])
        claims.set(host, { ...common, host, byCertificate: true, field });
      for (const named of hosts)
        if (claims.get(named.host)?.byCertificate !== false)
          claims.set(named.host, { ...common, ...named, byCertificate: false });
      return [...claims].map(([host, claim]) => [`${host} ${key}`, claim] as const);
    },
    { reads: [held], ownerOf: ({ owner }) => owner },
  );
}
