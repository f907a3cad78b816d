import type { Owner } from '../lib/owner.ts';

/**
 * The routing model that every API maps onto and that the template libraries print. One collection each; keys are stable,
 * unique and in the order in which they are printed.
 */
export interface Host {
  /** Lower case, no port: `shop.example.com`; the wildcard's suffix for wildcards: `example.com`; empty for `any`. */
  readonly host: string;
  readonly kind: 'exact' | 'wildcard-one' | 'any';
  /** Name of the host group in path map keys: the host itself, `*.example.com`, or `*`. Contains no `/` and no white space. */
  readonly group: string;
  readonly owner: Owner;
}

export interface Route {
  readonly group: string;
  /** `default` serves what no path of any matching group serves. */
  readonly match: 'exact' | 'prefix' | 'default';
  /** Exact: the path as is. Prefix: without its trailing slashes (so `/` is the empty string). */
  readonly path: string;
  readonly backend: string;
  readonly owner: Owner;
}

export interface RouteBackend {
  /** Unique proxy name, `<namespace>_<service>_<port>`. */
  readonly name: string;
  readonly profile: string;
  readonly servers: readonly BackendServer[];
  readonly owner: Owner;
}

export interface BackendServer {
  /** The pod's name where there is one, else made from the address. Unique within the backend. */
  readonly name: string;
  readonly address: string;
  readonly port: number;
  /** 0 drains. */
  readonly weight: number;
  /** In maintenance: known, not ready, not terminating. */
  readonly disabled: boolean;
}

/** A certificate with its private key, for some host names. One that is for many has several entries, so that a change of one costs little. */
export interface Certificate {
  /** Name of its file, unique: `<namespace>_<secret>.pem`, with a number before the dot from the second entry on. */
  readonly file: string;
  /** PEM: the certificate, then its intermediates. */
  readonly chain: string;
  /** PEM. In no message, tap or published object. */
  readonly key: string;
  /** SNI filters: host names and one-label wildcards (`*.example.com`), sorted, at least one. */
  readonly hosts: readonly string[];
  readonly owner: Owner;
}

/** Where TLS connections come in. */
export interface Listener {
  readonly name: string;
  /** Whether there is a default certificate. Without, whoever would be shown it is refused. */
  readonly hasDefault: boolean;
  readonly owner: Owner;
}

/**
 * Shown to clients that name no host, or one without a certificate of its own: the first that HAProxy takes. Each has an owner of its own, so
 * that one which is refused takes nothing along.
 */
export type DefaultCertificate = Omit<Certificate, 'hosts'>;

/** What is said of a host that has a certificate; what is not said here is as the configuration says of all. */
export interface TlsHost {
  /** The host itself, or `*.example.com`. */
  readonly group: string;
  /** Whether requests over plain HTTP are sent to HTTPS. */
  readonly sslRedirect?: boolean;
  /** Whether clients are told to come by HTTPS only. */
  readonly hsts?: boolean;
  readonly owner: Owner;
}
