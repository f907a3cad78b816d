/** One entry of `validationTests`: objects and what is expected of the render that they come to. See docs/validation-tests.md. */
export interface ValidationTest {
  readonly description?: string;
  /** Objects by name in `watchedResources`, or `haproxy-pods`. `apiVersion` and `kind` may be left out. */
  readonly fixtures?: Readonly<Record<string, readonly unknown[]>>;
  /** What the `http` helper gets, by URL; nothing is fetched. */
  readonly httpResources?: readonly HttpResourceFixture[];
  /** The haproxy.cfg that is in effect before the render. */
  readonly currentConfig?: string;
  /** Laid over `templatingSettings.extraContext`, key by key. */
  readonly extraContext?: Readonly<Record<string, unknown>>;
  /** Laid over the capabilities of `haproxyVersion`. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** Version that templates see, `3.4`. Default: that of the HAProxy at hand. */
  readonly haproxyVersion?: string;
  readonly assertions?: readonly ValidationAssertion[];
}

export interface HttpResourceFixture {
  readonly url: string;
  readonly content: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const assertionTypes = [
  'haproxy_valid',
  'contains',
  'not_contains',
  'equals',
  'jsonpath',
  'match_count',
  'match_order',
  'deterministic',
  'traffic',
] as const;

export type AssertionType = (typeof assertionTypes)[number];

export interface ValidationAssertion {
  readonly type: AssertionType;
  readonly description?: string;
  /** `haproxy.cfg`, `map:<name>`, `file:<name>`, `cert:<name>`, `crt-list:<name>`, `rendering_error`, `problems`. */
  readonly target?: string;
  readonly pattern?: string;
  readonly patterns?: readonly string[];
  readonly expected?: string;
  readonly jsonpath?: string;
  /** Of `traffic`. */
  readonly request?: TrafficRequest;
  readonly expect?: TrafficExpectation;
}

export interface TrafficRequest {
  /** Default `GET`. */
  readonly method?: string;
  /** Default `http`. */
  readonly scheme?: 'http' | 'https';
  /** Port of the `bind` line. Default 80, or 443 with `https`. */
  readonly port?: number;
  /** The Host header, and the server name of TLS. Default `localhost`. */
  readonly host?: string;
  /** Path and query, sent as written. Default `/`. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Server name of TLS, where it is not the host; empty: none. */
  readonly sni?: string;
  /** Address that HAProxy takes the client to have. Default 127.0.0.1. */
  readonly clientAddress?: string;
  /** What the backend answers. Default 200 without a body. */
  readonly answer?: TrafficAnswer;
}

export interface TrafficAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface TrafficExpectation {
  readonly status?: number;
  /** Patterns by name of header; an empty pattern: the header is not there. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Pattern. */
  readonly body?: string;
  /** Backend that was asked; empty: none. */
  readonly backend?: string;
  /** Server of the backend that was asked. */
  readonly server?: string;
  /** What the server was asked. */
  readonly request?: TrafficSeen;
}

/** Patterns, as of {@link TrafficExpectation}. */
export interface TrafficSeen {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
