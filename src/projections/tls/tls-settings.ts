import type { SecretRef } from './secret-ref.ts';

/** What an object says of TLS with the clients of its hosts, beyond certificates. What is absent is as the configuration says of all. */
export interface TlsSettings {
  /** The Secret of the authorities whose clients are asked for their certificate. */
  readonly clientCa?: SecretRef;
  /** Whether requests over plain HTTP are sent to HTTPS, and by which status. */
  readonly sslRedirect?: boolean;
  readonly sslRedirectCode?: number;
  /** Whether clients are told to come by HTTPS only, for how many seconds, and what else. */
  readonly hsts?: boolean;
  readonly hstsMaxAge?: number;
  readonly hstsIncludeSubdomains?: boolean;
  readonly hstsPreload?: boolean;
  /** The oldest version that is spoken: `TLSv1.3`. */
  readonly minVersion?: string;
  /** OpenSSL's names, with colons between them: for TLS 1.2, and for TLS 1.3. */
  readonly ciphers?: string;
  readonly ciphersuites?: string;
}
