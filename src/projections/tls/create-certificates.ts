import type { Collection, Graph } from '../../collections/types.ts';
import { digestValue } from '../../lib/digest.ts';
import type { Certificate } from '../model.ts';
import { certificateFile } from './certificate-file.ts';
import type { ChosenCertificates } from './choose-certificates.ts';
import type { CertificateFacts } from './parse-certificate.ts';
import { splitHosts } from './split-hosts.ts';

/** The certificates of hosts as they are printed, by file. A change of a host touches the entry that it is in. */
export function createCertificates(
  graph: Graph,
  hosts: Collection<ChosenCertificates>,
  held: Collection<CertificateFacts>,
): Collection<Certificate> {
  const served = graph.flatMapEntries(
    'tls.host-secrets',
    hosts,
    ({ host, secrets, owner }) =>
      // The default certificate is that of every host without one of its own.
      secrets
        .filter((secret) => secret !== '')
        .map((secret) => [`${secret} ${host}`, { secret, host, digest: digestOf(host), owner }]),
    { ownerOf: ({ owner }) => owner },
  );
  const bySecret = graph.groupEntriesBy('tls.hosts-by-secret', served, ({ secret }) => secret);
  return graph.flatMapEntries(
    'certificates',
    bySecret,
    (group, secret, reader) => {
      const facts = reader.read(held, secret);
      if (facts === undefined) return [];
      const { chain, key } = facts;
      const [namespace = '', name = ''] = secret.split('/');
      const owner = { kind: 'Secret', namespace, name };
      return splitHosts(group).flatMap((part, at) => {
        if (part.length === 0) return [];
        const file = certificateFile({ namespace, name }, at);
        return [[file, { file, chain, key, hosts: part, owner }] as const];
      });
    },
    {
      reads: [held],
      ownerOf: (_group, secret) => ({
        kind: 'Secret',
        namespace: secret.split('/')[0] ?? '',
        name: secret.split('/')[1] ?? '',
      }),
    },
  );
}

function digestOf(host: string): number {
  return Number(BigInt.asUintN(32, digestValue(host)));
}
