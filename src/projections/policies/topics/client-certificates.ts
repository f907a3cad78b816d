import { boolean } from '../parsers/boolean.ts';
import { oneOf } from '../parsers/one-of.ts';
import { secretName } from '../parsers/secret-name.ts';
import { webAddress } from '../parsers/web-address.ts';
import type { PolicyTopic } from '../policy-topic.ts';

/** Certificates that clients show (mutual TLS). Clients are asked in the handshake, by host; whether one is needed is decided by route. */
export const clientCertificates: PolicyTopic = {
  name: 'clientCertificates',
  title: 'Client certificates',
  fields: {
    authTlsSecret: {
      key: 'auth-tls-secret',
      parse: secretName,
      scope: 'route',
      shape: { part: () => true },
      restricting: true,
      values: 'name of a Secret in the namespace of the Ingress, with `ca.crt` and, if wanted, `ca.crl`',
      summary:
        'The authorities whose clients are let in. While there is no such Secret, or it is malformed, nobody is.',
      example: 'client-ca',
    },
    authTlsVerifyClient: {
      key: 'auth-tls-verify-client',
      needs: [{ anyOf: ['authTlsSecret'] }],
      parse: oneOf('on', 'optional', 'off'),
      scope: 'route',
      shape: { part: (mode) => (mode === 'on' ? undefined : mode) },
      restricting: true,
      values: '`on`, `optional` or `off`',
      summary:
        '`optional` lets clients without a certificate in, too; one that is shown is checked all the same. Default `on`.',
      example: 'optional',
    },
    authTlsErrorPage: {
      key: 'auth-tls-error-page',
      needs: [{ anyOf: ['authTlsSecret'] }],
      parse: webAddress,
      scope: 'route',
      shape: { part: () => true },
      restricting: true,
      values: 'a URL',
      summary: 'Where clients without a certificate are sent, in place of status 403.',
      example: 'https://example.com/no-certificate',
    },
    authTlsCertHeader: {
      key: 'auth-tls-cert-header',
      needs: [{ anyOf: ['authTlsSecret'] }],
      parse: boolean,
      scope: 'route',
      shape: { part: (isWanted) => (isWanted ? true : undefined) },
      restricting: true,
      values: '`true` or `false`',
      summary:
        'Whether the server is given the whole certificate, as `X-SSL-Client-Cert`: DER in base64. Default `false`.',
      example: 'true',
    },
  },
};
