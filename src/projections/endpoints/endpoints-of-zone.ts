import type { Endpoint } from './endpoint.ts';

/**
 * Those that are meant for a zone, as kube-proxy chooses (topology aware routing): all endpoints, where one that is ready has no hint or none that is ready is
 * for the zone.
 */
export function endpointsOfZone(endpoints: readonly Endpoint[], zone: string): readonly Endpoint[] {
  const ready = endpoints.filter(({ state }) => state === 'ready');
  const isFor = ({ zones }: Endpoint) => zones.includes(zone);
  if (ready.some(({ zones }) => zones.length === 0) || !ready.some(isFor)) return endpoints;
  return endpoints.filter(isFor);
}
