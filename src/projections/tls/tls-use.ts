import type { Owner } from '../../lib/owner.ts';
import type { SecretRef } from './secret-ref.ts';
import type { TlsSettings } from './tls-settings.ts';

/** What an object says of the certificate for some hosts: one entry of `spec.tls` of an Ingress. */
export interface TlsUse {
  /** Absent: the default certificate. */
  readonly secret?: SecretRef;
  /** Host names and one-label wildcards with the field that names each. */
  readonly hosts: readonly {
    readonly host: string;
    readonly field: string;
    /** Of a wildcard: hosts of the object's rules that it is for. */
    readonly covers?: readonly string[];
  }[];
  /** For the host names of the certificate too, where no object names them. */
  readonly byCertificate: boolean;
  /** Nothing is said of certificates: `secret` is absent, and others decide it. */
  readonly settingsOnly?: boolean;
  /** For all its hosts. */
  readonly settings?: TlsSettings;
  readonly owner: Owner;
  /** Creation time of the owner in milliseconds. */
  readonly created: number;
  /** Place within the owner. */
  readonly position: number;
  /** The field that names the Secret. */
  readonly field: string;
}
