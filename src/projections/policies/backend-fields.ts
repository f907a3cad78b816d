/** Those of {@link PolicyFields} that say how requests are spread over the servers of a backend, and what becomes of them when one fails. */
export interface BackendFields {
  readonly balanceAlgorithm?: BalanceAlgorithm;

  readonly affinity?: 'cookie' | 'none';
  readonly sessionCookieName?: string;
  readonly sessionCookieStrategy?: 'insert' | 'rewrite' | 'prefix';
  readonly sessionCookiePreserve?: boolean;
  readonly sessionCookieDomain?: string;
  readonly sessionCookieSameSite?: 'None' | 'Lax' | 'Strict';
  readonly sessionCookieSecure?: boolean;
  /** Times as HAProxy writes them. */
  readonly sessionCookieMaxIdle?: string;
  readonly sessionCookieMaxLife?: string;

  /** A path. */
  readonly healthCheckUri?: string;
  readonly healthCheckHost?: string;
  readonly healthCheckPort?: number;
  readonly healthCheckInterval?: string;
  readonly healthCheckTimeout?: string;
  readonly healthCheckRiseCount?: number;
  readonly healthCheckFallCount?: number;

  readonly retryCount?: number;
  readonly retryOn?: readonly RetryEvent[];
  readonly retryNonIdempotent?: boolean;

  readonly maxconnServer?: number;
  readonly maxqueueServer?: number;
  readonly slowStart?: string;
}

export interface BalanceAlgorithm {
  /** As HAProxy calls it. */
  readonly by: 'roundrobin' | 'leastconn' | 'random' | 'source' | 'uri' | 'hdr' | 'url_param';
  /** Of the header, or of the parameter of the query. */
  readonly name?: string;
}

/** What HAProxy tries again after (configuration manual, `retry-on`). */
export type RetryEvent =
  | 'conn-failure'
  | 'empty-response'
  | 'junk-response'
  | 'response-timeout'
  | '0rtt-rejected'
  | '401'
  | '403'
  | '404'
  | '408'
  | '425'
  | '429'
  | '500'
  | '501'
  | '502'
  | '503'
  | '504';
