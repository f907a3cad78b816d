import type { Owner } from '../../lib/owner.ts';
import type { BackendRef } from '../backend-ref.ts';
import type { Host, Route } from '../model.ts';

/** What one Ingress asks for: a path (or the default) of a host group, for itself. Several may ask for the same. */
export interface Claim extends Pick<Host, 'host' | 'kind'>, Pick<Route, 'group' | 'match' | 'path'> {
  /** Absent: the backend cannot be served (reported where it was read), the path answers 503. */
  readonly ref?: BackendRef;
  /** In place of a backend: the host that requests are sent to. */
  readonly redirectHost?: string;
  /** For a host that is not one of the object's rules: whoever has it there goes before. */
  readonly beside?: true;
  /** A prefix that is written with a slash at its end, which makes it the longer one of two that match the same. */
  readonly slashed?: true;
  readonly owner: Owner;
  /** Creation time of the owner in milliseconds. */
  readonly created: number;
  /** Place within the owner: rule and path in the order written. */
  readonly position: number;
  /** The field that made the claim and the one that names its backend, for problems. */
  readonly field: string;
  readonly backendField: string;
}
