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
      if (port.kind === 'found' || port.kind === 'external') return true;
      const service = `Service ${ref.namespace}/${ref.service}`;
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
