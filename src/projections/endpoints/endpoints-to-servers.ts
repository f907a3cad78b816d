import { compareKeys } from '../../lib/ordered-map.ts';
import type { BackendServer } from '../model.ts';
import { type Endpoint, endpointRank } from './endpoint.ts';
import { endpointsOfZone } from './endpoints-of-zone.ts';
import type { AddressFamily } from './service-port.ts';

const fullWeight = 100;

/**
 * The servers of a backend, in name order, from the endpoints of all its slices. One server per address and port, the
 * better state winning; one family, the preferred one if it has any endpoint; one zone, if that is said and the hints allow it. Draining endpoints have weight 0, unless
 * none is ready: then they take the traffic, as with kube-proxy. A name that occurs twice is made unique with `_2`, `_3` …
 * in the order of address and port; no pod's name contains `_`.
 */
export function endpointsToServers(
  endpoints: readonly Endpoint[],
  preferred: AddressFamily,
  zone?: string,
): readonly BackendServer[] {
  const ofPreferred = endpoints.filter(({ family }) => family === preferred);
  const ofAllZones = distinctEndpoints(ofPreferred.length > 0 ? ofPreferred : endpoints);
  const distinct = zone === undefined ? ofAllZones : endpointsOfZone(ofAllZones, zone);
  const noneReady = distinct.every(({ state }) => state !== 'ready');
  const taken = new Map<string, number>();
  return distinct
    .map(({ name, address, port, state }) => {
      const count = (taken.get(name) ?? 0) + 1;
      taken.set(name, count);
      return {
        name: count === 1 ? name : `${name}_${count}`,
        address,
        port,
        weight: state === 'draining' && !noneReady ? 0 : fullWeight,
        disabled: state === 'waiting',
      };
    })
    .sort((a, b) => compareKeys(a.name, b.name));
}

/** One endpoint per address and port, in the order of address and port. */
function distinctEndpoints(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const best = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    const key = `${endpoint.address} ${endpoint.port}`;
    const known = best.get(key);
    if (known === undefined || isBetter(endpoint, known)) best.set(key, endpoint);
  }
  return [...best.values()].sort((a, b) => compareKeys(a.address, b.address) || a.port - b.port);
}

function isBetter(a: Endpoint, b: Endpoint): boolean {
  const rank = endpointRank[a.state] - endpointRank[b.state];
  return rank > 0 || (rank === 0 && compareKeys(a.name, b.name) < 0);
}
