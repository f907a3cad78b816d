import { boolean } from '../parsers/boolean.ts';
import { cipherNames } from '../parsers/cipher-names.ts';
import { cipherSuites } from '../parsers/cipher-suites.ts';
import { hostName } from '../parsers/host-name.ts';
import { oneOf } from '../parsers/one-of.ts';
import { secretName } from '../parsers/secret-name.ts';
import { serverProtocol } from '../parsers/server-protocol.ts';
import type { PolicyTopic } from '../policy-topic.ts';

const common = { scope: 'backend', shape: 'server' } as const;

/** What is spoken with the servers of a Service, all of it on their own lines. */
export const backendTls: PolicyTopic = {
  name: 'backendTls',
  title: 'TLS and protocols of servers',
  fields: {
    backendProtocol: {
      ...common,
      key: 'backend-protocol',
      parse: serverProtocol,
      restricting: true,
      values: '`h1`, `h2`, `h1-ssl` or `h2-ssl`; by their other names `HTTP`, `GRPC`, `HTTPS` or `GRPCS`',
      summary:
        'HTTP/1.1 or HTTP/2, in the clear or by TLS. Default: what `appProtocol` of the Service’s port says, else `h1`.',
      example: 'h2-ssl',
    },
    secureBackends: {
      ...common,
      key: 'secure-backends',
      parse: boolean,
      restricting: true,
      values: '`true` or `false`',
      summary: 'TLS with servers, as `backend-protocol: h1-ssl`.',
      example: 'true',
    },
    secureVerifyCaSecret: {
      ...common,
      key: 'secure-verify-ca-secret',
      parse: (text, namespace) =>
        text.trim() === '@system-ca' ? { value: '@system-ca' } : secretName(text, namespace),
      restricting: true,
      values:
        'name of a Secret in the same namespace, with `ca.crt` and, if wanted, `ca.crl`; or `@system-ca`',
      summary:
        'The authorities that have to vouch for servers; `@system-ca`: those of HAProxy’s system. Without, any certificate will do. While there is no such Secret, or it is malformed, requests get 503.',
      example: 'server-ca',
    },
    secureVerifyHostname: {
      ...common,
      key: 'secure-verify-hostname',
      needs: [{ anyOf: ['secureVerifyCaSecret'] }],
      parse: hostName,
      restricting: true,
      values: 'a host name',
      summary:
        'The name that has to be in the certificate of servers, and that they are asked for. HAProxy verifies the name that it asks for, so `secure-sni` cannot be another one.',
      example: 'shop.internal.example.com',
    },
    secureSni: {
      ...common,
      key: 'secure-sni',
      parse: (text) => {
        const word = text.trim().toLowerCase();
        return word === 'host' || word === 'sni' ? { value: word } : hostName(text);
      },
      restricting: true,
      values: '`host`, `sni` or a host name',
      summary:
        'The name that servers are asked for in the handshake: the host of the request, the name that the client asked for, or another one. Default: `secure-verify-hostname`, else the host.',
      example: 'shop.internal.example.com',
    },
    secureCrtSecret: {
      ...common,
      key: 'secure-crt-secret',
      parse: secretName,
      restricting: true,
      values: 'name of a Secret in the same namespace, with `tls.crt` and `tls.key`',
      summary: 'The certificate that HAProxy shows servers. While it cannot be used, requests get 503.',
      example: 'haproxy-client',
    },
    sslMinVersionBackend: {
      ...common,
      key: 'ssl-min-version-backend',
      parse: oneOf('TLSv1.2', 'TLSv1.3'),
      restricting: true,
      values: '`TLSv1.2` or `TLSv1.3`',
      summary: 'The oldest version that is spoken with servers.',
      example: 'TLSv1.3',
    },
    sslCiphersBackend: {
      ...common,
      key: 'ssl-ciphers-backend',
      parse: cipherNames,
      restricting: true,
      values: 'OpenSSL’s names with colons between them',
      summary: 'Ciphers for TLS 1.2 with servers.',
      example: 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256',
    },
    sslCipherSuitesBackend: {
      ...common,
      key: 'ssl-cipher-suites-backend',
      parse: cipherSuites,
      restricting: true,
      values: 'OpenSSL’s names with colons between them',
      summary: 'The same for TLS 1.3.',
      example: 'TLS_AES_128_GCM_SHA256',
    },
    proxyProtocol: {
      ...common,
      key: 'proxy-protocol',
      parse: oneOf('no', 'v1', 'v2', 'v2-ssl', 'v2-ssl-cn'),
      values: '`v1`, `v2`, `v2-ssl` or `v2-ssl-cn`',
      summary:
        'Tells servers the address of the client by the PROXY protocol, with facts of its TLS connection, and the name of its certificate.',
      example: 'v2',
    },
  },
  check({ secureSni, secureVerifyHostname }) {
    if (secureVerifyHostname === undefined) return [];
    if (secureSni === undefined || secureSni === secureVerifyHostname) return [];
    const fault = 'is not the name of secure-sni, which HAProxy would verify in its place';
    return [{ field: 'secureVerifyHostname', fault }];
  },
};
