import type { HttpsSettings } from '../policies/https-settings.ts';
import type { SecretRef } from './secret-ref.ts';

/** What an object says of TLS with the clients of its hosts, beyond certificates. What is absent is as the configuration says of all. */
export interface TlsSettings extends HttpsSettings {
  /** The Secret of the authorities whose clients are asked for their certificate. */
  readonly clientCa?: SecretRef;
  /** The oldest version that is spoken: `TLSv1.3`. */
  readonly minVersion?: string;
  /** OpenSSL's names, with colons between them: for TLS 1.2, and for TLS 1.3. */
  readonly ciphers?: string;
  readonly ciphersuites?: string;
}
