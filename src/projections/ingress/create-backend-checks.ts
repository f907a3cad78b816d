import type { Collection, Graph } from '../../collections/types.ts';
import type { ServicePort } from '../endpoints/service-port.ts';
import type { IngressRoute } from './choose-route.ts';

/**
 * Tells the owner of a route that its Service or port is not there: such a path answers 503, all others go on. A Service
 * without endpoints is no problem. The entries say whether the route can be served.
 */
export function createBackendChecks(
  graph: Graph,
  routes: Collection<Pick<IngressRoute, 'ref' | 'backend' | 'backendField' | 'owner'>>,
  ports: Collection<ServicePort>,
): Collection<boolean> {
  return graph.mapEntries(
    `${routes.name}.backend-checks`,
    routes,
    ({ ref, backend, backendField, owner }, _key, reader) => {
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
          message: `${service} has no TCP port ${ref.port}`,
        },
        'refused-name': {
          reason: 'ExternalNameRefused',
          at: 'name',
          message: `spec.externalName of ${service}${port.kind === 'refused-name' ? ` ${port.fault}` : ''}`,
        },
      }[port.kind];
      const field = `${backendField}.service.${at}`;
      reader.report({ severity: 'error', reason, field, message: `${message}: answered with 503`, owner });
      return false;
    },
    { reads: [ports], ownerOf: (route) => route.owner },
  );
}
