import type { Collection, Graph } from '../../collections/types.ts';
import type { Certificate, DefaultCertificate, Listener, TlsHost } from '../model.ts';
import { chooseCertificates } from './choose-certificates.ts';
import { createCertificateChecks } from './create-certificate-checks.ts';
import { type CertificateContents, createCertificateContents } from './create-certificate-contents.ts';
import { createCertificates } from './create-certificates.ts';
import { createDefaultCertificates } from './create-default-certificates.ts';
import { createHostClaims } from './create-host-claims.ts';
import { createListeners } from './create-listeners.ts';
import { defaultUses } from './default-uses.ts';
import type { SecretRef } from './secret-ref.ts';
import type { SecretSource } from './secret-source.ts';
import type { TlsUse } from './tls-use.ts';

export interface TlsSources extends SecretSource {
  /** What the objects of all APIs say of certificates. */
  readonly uses: Collection<TlsUse>;
}

export interface TlsProjections {
  /** By file. */
  readonly certificates: Collection<Certificate>;
  /** By name. */
  readonly listeners: Collection<Listener>;
  /** By file, most wanted first. */
  readonly defaultCertificates: Collection<DefaultCertificate>;
  /** By host or wildcard. */
  readonly tlsHosts: Collection<TlsHost>;
}

/** See `Deadline`. */
export type TlsTimes = Pick<CertificateContents, 'deadlines' | 'times'>;

export interface TlsOptions {
  /** The Secrets of the default certificate; the first that can be served counts. */
  readonly defaultCertificates: readonly SecretRef[];
  /** Milliseconds for which a certificate is served on when its Secret is gone, or empty. */
  readonly certificateGraceMs: number;
}

/**
 * Secrets and whoever names them → certificates, each with the hosts that it is for: uses → Secrets, read and parsed once → claims to hosts →
 * certificates of hosts (conflicts decided) → entries of the crt-list. A changed Secret touches its own entries, a changed object those of its
 * hosts.
 */
export function createTlsProjections(
  graph: Graph,
  { uses, ...source }: TlsSources,
  { defaultCertificates: defaults, certificateGraceMs }: TlsOptions,
): { readonly collections: TlsProjections; readonly waits: TlsTimes } {
  const fixed = defaultUses(graph, defaults);
  const all = graph.unionEntries('tls.uses', uses, fixed);
  const contents = createCertificateContents(graph, all, source, certificateGraceMs);
  const { held, deadlines, times } = contents;
  createCertificateChecks(graph, uses, contents);
  const defaultCertificates = createDefaultCertificates(graph, defaults, contents);
  const listeners = createListeners(graph, defaultCertificates);
  const claims = createHostClaims(graph, uses, held);
  const byHost = graph.groupEntriesBy('tls.claims-by-host', claims, ({ host }) => host);
  // Hosts need not look again at a certificate that is renewed with the same type of key.
  const keyTypes = graph.mapEntries('tls.key-types', held, ({ keyType }) => keyType);
  const hosts = graph.mapEntries(
    'tls.hosts',
    byHost,
    (group, _key, reader) =>
      chooseCertificates(
        group,
        (secret) =>
          secret === ''
            ? reader.read(listeners, 'https')?.hasDefault === true
              ? 'other'
              : undefined
            : reader.read(keyTypes, secret),
        (problem) => reader.report(problem),
      ),
    { reads: [keyTypes, listeners], ownerOf: ([first]) => first?.owner ?? noOwner },
  );
  const tlsHosts = graph.flatMapEntries(
    'tlsHosts',
    hosts,
    ({ host, covers, owner }) =>
      [host, ...covers].map((group) => [group, { group, owner } satisfies TlsHost] as const),
    { ownerOf: ({ owner }) => owner, duplicates: 'expected' },
  );
  const certificates = createCertificates(graph, hosts, held);
  return {
    collections: { certificates, defaultCertificates, listeners, tlsHosts },
    waits: { deadlines, times },
  };
}

const noOwner = { kind: 'Route', namespace: '', name: '' };
