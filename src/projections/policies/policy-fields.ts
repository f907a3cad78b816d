import type { JwtAlgorithm } from './jwt-algorithms.ts';
import type { AuthUrl } from './parsers/auth-url.ts';
import type { HttpsSettings } from './https-settings.ts';
import type { BackendFields } from './backend-fields.ts';
import type { ShapingFields } from './shaping-fields.ts';

/**
 * What can be said of a route or of a backend beyond where requests go, whichever API says it; every field may be missing. One field is one setting, so that
 * several sources can be laid over each other. What each means, where it may be said and what it costs is in `policyTable`.
 */
export interface PolicyFields extends HttpsSettings, ShapingFields, BackendFields {
  /** Times as HAProxy writes them (`500ms`, `30s`). */
  readonly timeoutConnect?: string;
  readonly timeoutQueue?: string;
  readonly timeoutServer?: string;
  readonly timeoutTunnel?: string;

  readonly corsEnable?: boolean;
  /** Origins as browsers send them, or `*` alone: every origin. */
  readonly corsAllowOrigin?: readonly string[];
  readonly corsAllowMethods?: readonly string[];
  readonly corsAllowHeaders?: readonly string[];
  readonly corsExposeHeaders?: readonly string[];
  readonly corsAllowCredentials?: boolean;
  /** Seconds. */
  readonly corsMaxAge?: number;

  /** Secret of the authorities that clients' certificates have to come from. */
  readonly authTlsSecret?: string;
  readonly authTlsVerifyClient?: 'on' | 'optional' | 'off';
  readonly authTlsErrorPage?: string;
  readonly authTlsCertHeader?: boolean;

  readonly sslMinVersion?: TlsVersion;
  /** OpenSSL's names with colons between them. */
  readonly sslCiphers?: string;
  readonly sslCipherSuites?: string;
  readonly sslPassthrough?: boolean;

  readonly backendProtocol?: 'h1' | 'h2' | 'h1-ssl' | 'h2-ssl';
  readonly secureBackends?: boolean;
  /** A Secret, or `@system-ca`. */
  readonly secureVerifyCaSecret?: string;
  readonly secureVerifyHostname?: string;
  /** A host name, `host`: that of the request, or `sni`: the one that the client asked for. */
  readonly secureSni?: string;
  readonly secureCrtSecret?: string;
  readonly sslMinVersionBackend?: TlsVersion;
  readonly sslCiphersBackend?: string;
  readonly sslCipherSuitesBackend?: string;
  readonly proxyProtocol?: 'no' | 'v1' | 'v2' | 'v2-ssl' | 'v2-ssl-cn';

  /** Name of a Secret in the object's namespace. */
  readonly authSecret?: string;
  readonly authRealm?: string;

  /** Name of a Secret in the object's namespace. */
  readonly jwtSecret?: string;
  readonly jwtAlgorithm?: JwtAlgorithm;
  readonly jwtIssuer?: string;
  readonly jwtAudience?: readonly string[];
  /** `<claim>:<header>`, the header in lower case. */
  readonly jwtClaimsHeaders?: readonly string[];

  readonly authUrl?: AuthUrl;
  readonly authMethod?: 'GET' | 'HEAD' | 'POST';
  /** Names of headers in lower case, or `*` alone. */
  readonly authHeadersRequest?: readonly string[];
  readonly authHeadersSucceed?: readonly string[];
  readonly authHeadersFail?: readonly string[];
  /** A URL, or a path of the same host. */
  readonly authSignin?: string;

  /** Networks as HAProxy prints them, with their length: `10.0.0.0/8`, `fd00::/8`. */
  readonly allowlistSourceRange?: readonly string[];
  readonly denylistSourceRange?: readonly string[];

  /** Requests in one second. */
  readonly limitRps?: number;
  /** Requests within the period of the limit. */
  readonly limitRequests?: number;
  /** Seconds. */
  readonly limitPeriod?: number;
  /** Requests at a time. */
  readonly limitConnections?: number;
  /** `address`, `path`, or `header:` and its name in lower case. */
  readonly limitBy?: string;
  /** Networks, as above. */
  readonly limitWhitelist?: readonly string[];
  readonly limitStatusCode?: number;

  /** Bytes; 0: as many as anybody likes. */
  readonly proxyBodySize?: number;
}

export type TlsVersion = 'TLSv1.2' | 'TLSv1.3';
