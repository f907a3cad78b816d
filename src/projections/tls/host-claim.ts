import type { SecretRef } from './secret-ref.ts';
import type { TlsUse } from './tls-use.ts';

/** What one object asks for: a certificate for a host. Several may ask for the same host. */
export interface HostClaim extends Pick<
  TlsUse,
  'owner' | 'created' | 'position' | 'settingsOnly' | 'settings'
> {
  /** The host itself, or `*.example.com`. */
  readonly host: string;
  /** Absent: the default certificate. */
  readonly secret?: SecretRef;
  /** Only since the certificate is for this host: whoever names the host comes first. */
  readonly byCertificate: boolean;
  /** Of a wildcard: hosts of the object's rules that it is for. */
  readonly covers?: readonly string[];
  /** The field that names the host, for problems. */
  readonly field: string;
}
