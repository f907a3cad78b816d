import type { PolicyFields } from '../policies/policy-fields.ts';
import type { TlsSettings } from '../tls/tls-settings.ts';

/** What an Ingress says of its hosts in the handshake; undefined: nothing. */
export function tlsSettingsOf(fields: PolicyFields, namespace: string): TlsSettings | undefined {
  const { authTlsSecret, authTlsVerifyClient } = fields;
  const settings: TlsSettings = {
    ...(authTlsSecret !== undefined &&
      authTlsVerifyClient !== 'off' && { clientCa: { namespace, name: authTlsSecret } }),
    ...(fields.sslRedirect !== undefined && { sslRedirect: fields.sslRedirect }),
    ...(fields.sslRedirectCode !== undefined && { sslRedirectCode: fields.sslRedirectCode }),
    ...(fields.hsts !== undefined && { hsts: fields.hsts }),
    ...(fields.hstsMaxAge !== undefined && { hstsMaxAge: fields.hstsMaxAge }),
    ...(fields.hstsIncludeSubdomains !== undefined && {
      hstsIncludeSubdomains: fields.hstsIncludeSubdomains,
    }),
    ...(fields.hstsPreload !== undefined && { hstsPreload: fields.hstsPreload }),
    ...(fields.sslMinVersion !== undefined && { minVersion: fields.sslMinVersion }),
    ...(fields.sslCiphers !== undefined && { ciphers: fields.sslCiphers }),
    ...(fields.sslCipherSuites !== undefined && { ciphersuites: fields.sslCipherSuites }),
  };
  return Object.keys(settings).length === 0 ? undefined : settings;
}
