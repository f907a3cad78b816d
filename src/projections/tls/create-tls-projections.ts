import type { Collection, Graph } from '../../collections/types.ts';
import type { Certificate, ClientAuthority, DefaultCertificate, Listener, TlsHost } from '../model.ts';
import { createCertificateChecks } from './create-certificate-checks.ts';
import { type CertificateContents, createCertificateContents } from './create-certificate-contents.ts';
import { createCertificates } from './create-certificates.ts';
import { createClientAuthorities } from './create-client-authorities.ts';
import { createDefaultCertificates } from './create-default-certificates.ts';
import { createHostClaims } from './create-host-claims.ts';
import { createListeners } from './create-listeners.ts';
import { createTlsHosts } from './create-tls-hosts.ts';
import type { TrustState } from './create-trust.ts';
import { defaultUses } from './default-uses.ts';
import type { HostOwner } from './host-owner.ts';
import type { SecretRef } from './secret-ref.ts';
import type { SecretSource } from './secret-source.ts';
import { tlsHostsOf } from './tls-hosts-of.ts';
import type { TlsUse } from './tls-use.ts';

export interface TlsSources extends SecretSource {
  /** What the objects of all APIs say of certificates. */
  readonly uses: Collection<TlsUse>;
  /** The Secrets of authorities that can be used, by `namespace/name`. */
  readonly trust: Collection<TrustState>;
  /** Who routes hosts, by host or wildcard. */
  readonly hostOwners: Collection<HostOwner>;
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
  /** By host or wildcard. */
  readonly clientAuthorities: Collection<ClientAuthority>;
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
  { uses, trust, hostOwners, ...source }: TlsSources,
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
  // Hosts need not look again at a certificate that is renewed with the same type of key.
  const keyTypes = graph.mapEntries('tls.key-types', held, ({ keyType }) => keyType);
  const hosts = createTlsHosts(graph, { claims, keyTypes, listeners, hostOwners });
  const tlsHosts = graph.flatMapEntries(
    'tlsHosts',
    hosts,
    (host, _key, reader) => {
      const { namespace } = host.owner;
      const own = host.covers.filter((group) => {
        const routedBy = reader.read(hostOwners, group);
        return routedBy === undefined || routedBy.owner.namespace === namespace;
      });
      return tlsHostsOf({ ...host, covers: own }).map((entry) => [entry.group, entry] as const);
    },
    { reads: [hostOwners], ownerOf: ({ owner }) => owner, duplicates: 'expected' },
  );
  const certificates = createCertificates(graph, { hosts, held, keyTypes, trust }, defaults);
  const clientAuthorities = createClientAuthorities(graph, hosts, trust);
  return {
    collections: { certificates, defaultCertificates, listeners, tlsHosts, clientAuthorities },
    waits: { deadlines, times },
  };
}
