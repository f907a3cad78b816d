import type { Collection, Graph } from '../../collections/types.ts';
import type { ServicePort } from '../endpoints/service-port.ts';
import type { IngressRoute } from './choose-route.ts';

/**
 * Tells the owner of a route that its Service or port is not there: such a path answers 503, all others go on. A Service
 * without endpoints is no problem. The entries say whether the route can be served.
 */
export function createBackendChecks(
  graph: Graph,
  routes: Collection<IngressRoute>,
  ports: Collection<ServicePort>,
): Collection<boolean> {
  return graph.mapEntries(
    'ingress.backend-checks',
    routes,
    ({ ref, backend, backendField, owner }, _key, reader) => {
      const port = ref && reader.read(ports, backend);
      if (ref === undefined || port === undefined) return false;
      if (port.kind === 'found') return true;
      const service = `Service ${ref.namespace}/${ref.service}`;
      const { reason, at, message } = {
        'no-service': { reason: 'BackendMissing', at: 'name', message: `${service} does not exist` },
        'no-port': {
          reason: 'PortMissing',
          at: `port.${typeof ref.port === 'number' ? 'number' : 'name'}`,
          message: `${service} has no TCP port ${ref.port}`,
        },
        'external-name': {
          reason: 'ExternalNameUnsupported',
          at: 'name',
          message: `${service} is of type ExternalName, which is not supported`,
        },
      }[port.kind];
      const field = `${backendField}.service.${at}`;
      reader.report({ severity: 'error', reason, field, message: `${message}: answered with 503`, owner });
      return false;
    },
    { reads: [ports], ownerOf: (route) => route.owner },
  );
}
