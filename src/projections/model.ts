import type { Owner } from '../lib/owner.ts';
import type { HostMatch } from './parse-host.ts';
import type { HttpsSettings } from './policies/https-settings.ts';
import type { PolicyFields } from './policies/policy-fields.ts';
import type { User } from './policies/parse-password-list.ts';
import type { ShapedProfile } from './policies/profile-of.ts';

/**
 * The routing model that every API maps onto and that the template libraries print. One collection each; keys are stable,
 * unique and in the order in which they are printed.
 */
export interface Host extends HostMatch {
  readonly owner: Owner;
}

export interface Route {
  readonly group: string;
  /** `default` serves what no path of any matching group serves. */
  readonly match: 'exact' | 'prefix' | 'default';
  /** Exact: the path as is. Prefix: without its trailing slashes (so `/` is the empty string). */
  readonly path: string;
  readonly backend: string;
  /** Under which maps have what is said of its requests, see {@link Policy}; absent: nothing. Holds neither `/` nor white space. */
  readonly rule?: string;
  /** Key of the {@link Choice} between several backends; absent: there is one. */
  readonly choice?: string;
  /** The three as maps have them, see `routeTarget`. */
  readonly target: string;
  readonly owner: Owner;
}

/** Where else requests of a route may go: by what they say, else by chance. Where is what a map says of a route, see `routeTarget`. */
export interface Choice {
  /** 32 hex digits. */
  readonly key: string;
  /** Shapes are looked at in the order of {@link MatchShape}; the first that has an entry for the request decides. */
  readonly matches: readonly ChoiceMatch[];
  /** The first counts whose limit is above a random number below 2^32; if there is none, the route's own backend. */
  readonly shares: readonly ChoiceShare[];
  readonly owner: Owner;
}

/** `header` and `cookie` are compared to the letter, `pattern` is a regular expression for a header. */
export type MatchKind = 'header' | 'pattern' | 'cookie';

export interface ChoiceMatch {
  readonly kind: MatchKind;
  readonly name: string;
  readonly value: string;
  readonly target: string;
}

export interface ChoiceShare {
  readonly below: number;
  readonly target: string;
}

/** Something of requests that decides for any route. Headers come first, then patterns, cookies and shares (by number). */
export interface MatchShape {
  readonly kind: MatchKind | 'share';
  readonly name: string;
}

/** Shapes that are looked at by one rule of each frontend, so that requests to routes with one backend pay for one test. */
export interface MatchRule {
  /** From 0 on. */
  readonly place: number;
  readonly shapes: readonly MatchShape[];
  readonly owner: Owner;
}

/** What is said of the requests of one rule, whichever API says it: values for maps. */
export interface Policy extends PolicyFields {
  readonly rule: string;
  readonly owner: Owner;
}

/** A named `defaults` section, shared by all backends of one shape. */
export interface Profile extends ShapedProfile {
  /** Topics of its shape that keep requests out: without the lines of one, nobody may be let in. */
  readonly restricting: readonly string[];
  readonly owner: Owner;
}

/** A public key that tokens are checked with. */
export interface JwtKey {
  /** Its file, unique. */
  readonly file: string;
  /** Keys of one Secret for one algorithm: `<namespace>_<secret>_<algorithm>`. */
  readonly set: string;
  readonly pem: string;
  readonly owner: Owner;
}

/** What a Service is asked about the requests of a rule. */
export interface AuthRequest {
  readonly rule: string;
  readonly backend: string;
  readonly method: string;
  readonly host: string;
  /** With its query; no white space. */
  readonly path: string;
  /** Names of headers in lower case; `*` alone: all. Which of the request it is shown, of its answer the server gets, and of its answer the client. */
  readonly asked: readonly string[];
  readonly passed: readonly string[];
  readonly shown: readonly string[];
  /** A URL or a path. */
  readonly signin?: string;
  readonly owner: Owner;
}

/** Where copies of the requests of a rule go. */
export interface Mirror {
  readonly rule: string;
  readonly backend: string;
  readonly owner: Owner;
}

/** Who may get in where it is named: nobody, if it is empty. */
export interface UserList {
  /** Of its `userlist` section. */
  readonly name: string;
  readonly users: readonly User[];
  readonly owner: Owner;
}

export interface RouteBackend {
  /** Unique proxy name, see `backendKey`. */
  readonly name: string;
  /** A {@link Profile}, or the base library's. */
  readonly profile: string;
  readonly servers: readonly BackendServer[];
  /** What its servers speak; absent: HTTP/1.1. */
  readonly protocol?: 'h2';
  /** Connections as they come; absent: requests. */
  readonly mode?: 'tcp';
  /** How servers are told of the client: a keyword of HAProxy's server lines. */
  readonly proxyProtocol?: 'send-proxy' | 'send-proxy-v2' | 'send-proxy-v2-ssl' | 'send-proxy-v2-ssl-cn';
  /** How much its servers are given; absent: as they come. */
  readonly limits?: ServerLimits;
  /** How HAProxy asks its servers how they are; absent: it does not. */
  readonly check?: ServerCheck;
  /** Absent: its servers are spoken to in the clear. */
  readonly tls?: BackendTls;
  /** What servers say is fresh is answered again without them. */
  readonly cached?: true;
  /** Its one server is found by name, whenever a request comes: the server's own address is 0.0.0.0. */
  readonly external?: ExternalHost;
  readonly owner: Owner;
}

export interface ServerLimits {
  /** Requests at a time. */
  readonly maxconn?: number;
  /** Requests that wait for a certain server. */
  readonly maxqueue?: number;
  /** A time as HAProxy writes it. */
  readonly slowStart?: string;
}

export interface ServerCheck {
  /** A time as HAProxy writes it. */
  readonly interval: string;
  /** Good answers in a row that bring a server back, and bad ones that take it out. */
  readonly rise: number;
  readonly fall: number;
  /** Absent: where requests go. */
  readonly port?: number;
}

/** How TLS is spoken with the servers of a backend. */
export interface BackendTls {
  /** `none`: any certificate will do. */
  readonly verify: 'none' | 'required';
  /** Files of the authorities that have to vouch for servers, or `@system-ca`, and of what they have revoked. With `required`. */
  readonly authorities?: string;
  readonly revoked?: string;
  /** The name that servers are asked for (SNI); absent: the host that the client asks for, unless one of the next two says something else. */
  readonly serverName?: string;
  /** It is the one that the server is found by, see {@link ExternalHost}. */
  readonly isServerNameFound?: true;
  /** It is the one that the client asked for in its handshake. */
  readonly isServerNameOfClient?: true;
  /** The name that has to be in the certificate; absent: the one that is asked for. */
  readonly verifiedName?: string;
  /** File of the certificate that servers are shown. */
  readonly certificate?: string;
  readonly minVersion?: string;
  /** OpenSSL's names, with colons between them. */
  readonly ciphers?: string;
  readonly ciphersuites?: string;
}

/** A host outside of the cluster. */
export interface ExternalHost {
  /** DNS name, absolute, lower case, without a dot at its end. */
  readonly name: string;
  /** The configuration allows this name: it may have private addresses. */
  readonly isTrusted: boolean;
}

/** How names of servers are resolved when requests come. */
export interface Resolver {
  readonly name: string;
  /** Which of the addresses that names resolve to may be asked: of those that fit, the rule with the longest prefix counts. */
  readonly rules: readonly AddressRule[];
  readonly owner: Owner;
}

/** What is thought of the addresses in a network. */
export interface AddressRule {
  /** `10.0.0.0/8`, `fc00::/7` */
  readonly network: string;
  /** `refused`: no name may resolve to it. `private`: names that are trusted may. */
  readonly verdict: 'refused' | 'private' | 'public' | 'allowed';
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
  /** What clients bring along that belong to it, where that is asked for. */
  readonly cookie?: string;
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
  /** What is not as the configuration says of all. */
  readonly options?: CertificateOptions;
  readonly owner: Owner;
}

/** What is decided in the handshake for some hosts. */
export interface CertificateOptions {
  /** Files of those whose clients are asked for their certificate, and of what they have revoked. */
  readonly clients?: { readonly ca: string; readonly crl?: string };
  readonly minVersion?: string;
  /** OpenSSL's names, with colons between them. */
  readonly ciphers?: string;
  readonly ciphersuites?: string;
}

/** Authorities that are believed, or what they have revoked, for clients and for servers. */
export interface TrustFile {
  /** Name of its file, unique: `<namespace>_<secret>_ca.pem`. */
  readonly file: string;
  readonly kind: 'ca' | 'crl';
  readonly pem: string;
  readonly owner: Owner;
}

/** Whose clients a host asks for their certificate. */
export interface ClientAuthority {
  /** The host that clients name in the handshake, or `*.example.com`. */
  readonly group: string;
  /** `<namespace>_<secret>`; `none` for a host below a wildcard that does not do as that one does. */
  readonly authority: string;
  /** The oldest version that is to be spoken there, where it is not as the configuration says of all. */
  readonly minVersion?: string;
  readonly owner: Owner;
}

/** A certificate that servers are shown, with its private key. */
export type ServerIdentity = Omit<Certificate, 'hosts' | 'options'>;

/** A host whose connections are handed on without a look into them. */
export interface Passthrough {
  /** The host itself, or `*.example.com`. */
  readonly group: string;
  readonly backend: string;
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
export interface TlsHost extends HttpsSettings {
  /** The host itself, or `*.example.com`. */
  readonly group: string;
  readonly owner: Owner;
}
