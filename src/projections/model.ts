import type { Owner } from '../lib/owner.ts';

/**
 * The routing model that every API maps onto and that the template libraries print. One collection each; keys are stable,
 * unique and in the order in which they are printed.
 */
export interface Host {
  /** Lower case, no port: `shop.example.com`; the wildcard's suffix for wildcards: `example.com`; empty for `any`. */
  readonly host: string;
  readonly kind: 'exact' | 'wildcard-one' | 'any';
  /** Name of the host group in path map keys: the host itself, `*.example.com`, or `*`. Contains no `/` and no white space. */
  readonly group: string;
  readonly owner: Owner;
}

export interface Route {
  readonly group: string;
  /** `default` serves what no path of any matching group serves. */
  readonly match: 'exact' | 'prefix' | 'default';
  /** Exact: the path as is. Prefix: without its trailing slashes (so `/` is the empty string). */
  readonly path: string;
  readonly backend: string;
  readonly owner: Owner;
}

export interface RouteBackend {
  /** Unique proxy name, `<namespace>_<service>_<port>`. */
  readonly name: string;
  readonly profile: string;
  readonly servers: readonly BackendServer[];
  readonly owner: Owner;
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
}
