import type { Owner } from './owner.ts';

/**
 * Something wrong with one object that did not stop the others: what a user looks for when a route is not served.
 * `error` means the object (or a part of it) is not in effect; `warning` means it is, but not as written.
 */
export interface Problem {
  readonly severity: 'error' | 'warning';
  /** Low-cardinality CamelCase constant, e.g. `BackendMissing`, `ConflictLost`, `InvalidPath`. */
  readonly reason: string;
  /** Field of the owner, as a path: `spec.rules[0].http.paths[1].path`. Empty when the object as a whole is meant. */
  readonly field: string;
  readonly message: string;
  readonly owner: Owner;
}
