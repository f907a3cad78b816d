import type { CertificatePolicy } from '../certificates/certificate-policy.ts';
import type { WebhookConfigurationOptions } from './webhook-configuration.ts';

/** Where the webhook's certificate comes from. */
export type WebhookCertificate =
  /** `tls.crt`, `tls.key` and `ca.crt`, read again when they change. */
  | { readonly kind: 'folder'; readonly dir: string }
  /** Issued by the program itself and kept in Secrets. */
  | {
      readonly kind: 'secrets';
      readonly namespace: string;
      /** Of the certificate; the authority's has `-issuer` behind it. */
      readonly name: string;
      readonly policy: CertificatePolicy;
    };

export interface WebhookOptions {
  readonly listen: { readonly host: string; readonly port: number };
  readonly certificate: WebhookCertificate;
  /** The ValidatingWebhookConfiguration to keep; absent: somebody else does. */
  readonly configuration?: Omit<WebhookConfigurationOptions, 'authorities' | 'withConfigurationKinds'>;
  /** Requests that are worked on at once. Default: half the processors, at least one. */
  readonly concurrent?: number;
}
