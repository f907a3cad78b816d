import { boolean } from '../parsers/boolean.ts';
import { cipherNames } from '../parsers/cipher-names.ts';
import { cipherSuites } from '../parsers/cipher-suites.ts';
import { oneOf } from '../parsers/one-of.ts';
import type { PolicyTopic } from '../policy-topic.ts';

const common = { scope: 'host', shape: 'nothing' } as const;

/** What is said of the hosts of an Ingress as a whole, whichever path is asked for. */
export const tlsHosts: PolicyTopic = {
  name: 'tlsHosts',
  title: 'HTTPS of hosts',
  fields: {
    sslMinVersion: {
      ...common,
      key: 'ssl-min-version',
      parse: oneOf('TLSv1.2', 'TLSv1.3'),
      values: '`TLSv1.2` or `TLSv1.3`',
      summary:
        'The oldest version that is spoken with clients. Default: `tls.minVersion` of the configuration.',
      example: 'TLSv1.3',
    },
    sslCiphers: {
      ...common,
      key: 'ssl-ciphers',
      parse: cipherNames,
      values: 'OpenSSL’s names with colons between them',
      summary: 'Ciphers for TLS 1.2. Default: `tls.ciphers` of the configuration.',
      example: 'ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384',
    },
    sslCipherSuites: {
      ...common,
      key: 'ssl-cipher-suites',
      parse: cipherSuites,
      values: 'OpenSSL’s names with colons between them',
      summary: 'The same for TLS 1.3. Default: `tls.ciphersuites` of the configuration.',
      example: 'TLS_AES_256_GCM_SHA384',
    },
    sslPassthrough: {
      ...common,
      key: 'ssl-passthrough',
      cost: 'another backend',
      parse: boolean,
      restricting: true,
      values: '`true` or `false`',
      summary:
        'Hands connections to the Service of path `/` as they are, without ending TLS. Needs `tls.passthrough` in the configuration.',
      example: 'true',
    },
  },
};
