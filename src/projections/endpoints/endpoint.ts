import type { AddressFamily } from './service-port.ts';

/**
 * `ready` takes traffic; `draining` (not ready, serving, terminating) finishes what it has; `waiting` (not ready, not
 * terminating) is known and gets nothing. Greater is better when slices disagree about one address.
 */
export const endpointRank = { waiting: 0, draining: 1, ready: 2 } as const;

export type EndpointState = keyof typeof endpointRank;

/** One address and port of a Service port, as a slice tells it. */
export interface Endpoint {
  readonly family: AddressFamily;
  readonly address: string;
  readonly port: number;
  readonly state: EndpointState;
  /** Zones that it is meant for (`hints.forZones`); empty: nothing is said of it. */
  readonly zones: readonly string[];
  /** The pod's name, or made from the address where there is no pod. Not unique. */
  readonly name: string;
}
