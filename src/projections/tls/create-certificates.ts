import { createHash } from 'node:crypto';
import type { Collection, Graph } from '../../collections/types.ts';
import { digestValue } from '../../lib/digest.ts';
import { stableJson } from '../../lib/stable-json.ts';
import type { Certificate, CertificateOptions } from '../model.ts';
import { certificateFile } from './certificate-file.ts';
import type { ServedHost } from './create-tls-hosts.ts';
import type { TrustState } from './create-trust.ts';
import { optionsOf } from './options-of.ts';
import type { CertificateFacts, KeyType } from './parse-certificate.ts';
import { secretKey } from './secret-key.ts';
import type { SecretRef } from './secret-ref.ts';
import { splitHosts } from './split-hosts.ts';
import { wildcardOf } from './wildcard-of.ts';

export interface CertificateSources {
  readonly hosts: Collection<ServedHost>;
  readonly held: Collection<CertificateFacts>;
  readonly keyTypes: Collection<KeyType>;
  readonly trust: Collection<TrustState>;
}

/** The certificates of hosts as they are printed, by file. A change of a host touches the entry that it is in. */
export function createCertificates(
  graph: Graph,
  { hosts, held, keyTypes, trust }: CertificateSources,
  defaults: readonly SecretRef[],
): Collection<Certificate> {
  const served = graph.flatMapEntries(
    'tls.host-secrets',
    hosts,
    ({ host, secrets, settings, owner }, _key, reader) => {
      const options = settings && optionsOf(settings, reader, trust);
      const own = options === undefined ? {} : { options, variant: stableJson(options) };
      return secrets.flatMap((named) => {
        // The default certificate is that of every host without one of its own, which is served as the configuration says; but for one below a wildcard, it has to be said.
        const isSaid = () => options !== undefined || reader.read(hosts, wildcardOf(host)) !== undefined;
        const secret =
          named !== '' || !isSaid()
            ? named
            : defaults.map(secretKey).find((key) => reader.read(keyTypes, key) !== undefined);
        if (secret === undefined || secret === '') return [];
        return [[`${secret} ${host}`, { secret, host, digest: digestOf(host), owner, ...own }] as const];
      });
    },
    { reads: [hosts, keyTypes, trust], ownerOf: ({ owner }) => owner },
  );
  const bySecret = graph.groupEntriesBy(
    'tls.hosts-by-secret',
    served,
    (entry: Served) => `${entry.secret} ${entry.variant ?? ''}`,
  );
  return graph.flatMapEntries(
    'certificates',
    bySecret,
    (group, key, reader) => {
      const [secret, variant] = partsOf(key);
      const facts = reader.read(held, secret);
      if (facts === undefined) return [];
      const { chain, key: privateKey } = facts;
      const [namespace = '', name = ''] = secret.split('/');
      const owner = { kind: 'Secret', namespace, name };
      const options = group[0]?.options;
      return splitHosts(group).flatMap((part, at) => {
        if (part.length === 0) return [];
        const file = certificateFile({ namespace, name }, at, variantName(variant));
        const certificate = { file, chain, key: privateKey, hosts: part, owner };
        return [[file, options === undefined ? certificate : { ...certificate, options }] as const];
      });
    },
    {
      reads: [held],
      ownerOf: (_group, key) => {
        const [namespace = '', name = ''] = partsOf(key)[0].split('/');
        return { kind: 'Secret', namespace, name };
      },
    },
  );
}

interface Served {
  readonly secret: string;
  readonly host: string;
  readonly digest: number;
  readonly variant?: string;
  readonly options?: CertificateOptions;
}

/** Strangers may share the default certificate: none may make up what is taken for another's. */
function variantName(variant: string): string {
  return variant === '' ? '' : `v${createHash('sha256').update(variant).digest('hex').slice(0, 16)}`;
}

function partsOf(key: string): readonly [secret: string, variant: string] {
  const at = key.indexOf(' ');
  return [key.slice(0, at), key.slice(at + 1)];
}

function digestOf(host: string): number {
  return Number(BigInt.asUintN(32, digestValue(host)));
}
