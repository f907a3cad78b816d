import type { Collection, Reader } from '../../collections/types.ts';
import type { BackendRef } from '../backend-ref.ts';
import type { BackendTls, RouteBackend } from '../model.ts';
import type { ServerSettings } from '../policies/server-settings.ts';
import { identityFile } from '../tls/create-server-identities.ts';
import type { TrustState } from '../tls/create-trust.ts';

/** What is known of the Secrets that settings name. */
export interface ServerSecrets {
  /** Of authorities, by `namespace/name`. */
  readonly trust: Collection<TrustState>;
  /** Of certificates that servers are shown, by file. */
  readonly identities: Collection<true>;
}

export type ServerOptions = Pick<RouteBackend, 'protocol' | 'tls' | 'proxyProtocol'>;

const proxyKeywords = {
  no: undefined,
  v1: 'send-proxy',
  v2: 'send-proxy-v2',
  'v2-ssl': 'send-proxy-v2-ssl',
  'v2-ssl-cn': 'send-proxy-v2-ssl-cn',
} as const;

/**
 * What is spoken with the servers of a backend: what is said of it, laid over what the Service's port says. `undefined`: it cannot be as safe as was asked for, since a
 * Secret is missing or malformed, so nothing may be sent.
 */
export function serverOptions(
  { namespace, server: settings }: Pick<BackendRef, 'namespace' | 'server'>,
  port: ServerOptions,
  reader: Pick<Reader, 'read'>,
  secrets: ServerSecrets,
): ServerOptions | undefined {
  if (settings === undefined) return port;
  const { backendProtocol, proxyProtocol = 'no' } = settings;
  const protocol = backendProtocol === undefined ? port.protocol : protocolOf(backendProtocol);
  const keyword = proxyKeywords[proxyProtocol];
  const common = {
    ...(protocol && { protocol }),
    ...(keyword && { proxyProtocol: keyword }),
  };
  if (!isSecure(settings, port)) return common;
  const tls = tlsOf(namespace, settings, port.tls, reader, secrets);
  return tls && { ...common, tls };
}

function protocolOf(protocol: NonNullable<ServerSettings['backendProtocol']>): 'h2' | undefined {
  return protocol.startsWith('h2') ? 'h2' : undefined;
}

/** Whoever says how certificates are to be verified means that there is one. */
function isSecure(settings: ServerSettings, port: ServerOptions): boolean {
  const { backendProtocol, secureBackends, secureVerifyCaSecret, secureCrtSecret } = settings;
  if (secureVerifyCaSecret !== undefined || secureCrtSecret !== undefined || secureBackends === true)
    return true;
  if (backendProtocol !== undefined) return backendProtocol.endsWith('-ssl');
  return secureBackends === undefined && port.tls !== undefined;
}

function tlsOf(
  namespace: string,
  settings: ServerSettings,
  port: BackendTls | undefined,
  reader: Pick<Reader, 'read'>,
  secrets: ServerSecrets,
): BackendTls | undefined {
  const {
    secureVerifyCaSecret: ca,
    secureVerifyHostname: verified,
    secureSni: sni,
    secureCrtSecret,
  } = settings;
  const trust: Pick<BackendTls, 'verify' | 'authorities' | 'revoked'> | undefined =
    ca === undefined
      ? { verify: 'none' }
      : ca === '@system-ca'
        ? { verify: 'required', authorities: ca }
        : trustOf(reader.read(secrets.trust, `${namespace}/${ca}`));
  if (trust === undefined) return undefined;
  const certificate =
    secureCrtSecret === undefined ? undefined : identityFile({ namespace, name: secureCrtSecret });
  if (certificate !== undefined && reader.read(secrets.identities, certificate) !== true) return undefined;
  // HAProxy verifies the name that it asks for. An Ingress and a Service may each have said one of these.
  const isOwn = verified === undefined && sni !== undefined;
  const named = isOwn && sni !== 'host' && sni !== 'sni' ? sni : undefined;
  const serverName = verified ?? named;
  const isFound = verified === undefined && sni === undefined && port?.isServerNameFound === true;
  return {
    ...trust,
    ...(serverName !== undefined && { serverName }),
    ...(isFound && { isServerNameFound: true as const }),
    ...(isOwn && sni === 'sni' && { isServerNameOfClient: true as const }),
    ...(verified !== undefined && { verifiedName: verified }),
    ...(certificate !== undefined && { certificate }),
    ...(settings.sslMinVersionBackend !== undefined && { minVersion: settings.sslMinVersionBackend }),
    ...(settings.sslCiphersBackend !== undefined && { ciphers: settings.sslCiphersBackend }),
    ...(settings.sslCipherSuitesBackend !== undefined && { ciphersuites: settings.sslCipherSuitesBackend }),
  };
}

function trustOf(
  state: TrustState | undefined,
): Pick<BackendTls, 'verify' | 'authorities' | 'revoked'> | undefined {
  if (state === undefined) return undefined;
  return {
    verify: 'required',
    authorities: state.ca,
    ...(state.crl !== undefined && { revoked: state.crl }),
  };
}
