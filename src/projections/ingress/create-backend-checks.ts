import type { Collection, Graph } from '../../collections/types.ts';
import type { ServicePort } from '../endpoints/service-port.ts';
import type { ServiceWay } from '../policies/create-service-ways.ts';
import type { IngressRoute } from './choose-route.ts';

/** What leads to a Service: a field of a rule, or an annotation, which is one field whatever part of it is meant. */
export type WayToBackend = Pick<IngressRoute, 'ref' | 'backend' | 'backendField' | 'owner'> &
  Partial<Pick<ServiceWay, 'otherwise'>>;

/**
 * Tells the owner of a route that its Service or port is not there: such a path answers 503, all others go on. A Service
 * without endpoints is no problem. The entries say whether the route can be served.
 */
export function createBackendChecks(
  graph: Graph,
  routes: Collection<WayToBackend>,
  ports: Collection<ServicePort>,
): Collection<boolean> {
  return graph.mapEntries(
    `${routes.name}.backend-checks`,
    routes,
    ({ ref, backend, backendField, owner, otherwise }, _key, reader) => {
      const port = ref && reader.read(ports, backend);
      if (ref === undefined || port === undefined) return false;
      const service = `Service ${ref.namespace}/${ref.service}`;
      if (port.kind === 'external' && 'host' in port.target && ref.passthrough === true) {
        const message = `spec.externalName of ${service} is found for each request, and nobody sees requests in what is passed through`;
        const field = `${backendField}.service.name`;
        reader.report({ severity: 'error', reason: 'ExternalNameRefused', field, message, owner });
        return false;
      }
      if (port.kind === 'found' || port.kind === 'external') return true;
      const { reason, at, message } = {
        'no-service': { reason: 'BackendMissing', at: 'name', message: `${service} does not exist` },
        'no-port': {
          reason: 'PortMissing',
          at: `port.${typeof ref.port === 'number' ? 'number' : 'name'}`,
          message: `${service} has no TCP port ${ref.port}${port.kind === 'no-port' ? onlyThose(port.there) : ''}`,
        },
        'refused-name': {
          reason: 'ExternalNameRefused',
          at: 'name',
          message: `spec.externalName of ${service}${port.kind === 'refused-name' ? ` ${port.fault}` : ''}`,
        },
      }[port.kind];
      const field = otherwise === undefined ? `${backendField}.service.${at}` : backendField;
      const effect = otherwise ?? 'answered with 503';
      reader.report({ severity: 'error', reason, field, message: `${message}: ${effect}`, owner });
      return false;
    },
    { reads: [ports], ownerOf: (route) => route.owner },
  );
}

/** Whoever names the port of the pods sees it. */
function onlyThose(ports: readonly string[]): string {
  return ports.length === 0 ? '' : `, only ${ports.join(', ')}`;
}
