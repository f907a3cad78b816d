import type { KubeObject } from '../../api/kube-object.ts';
import type { Collection, Graph } from '../../collections/types.ts';
import type { BackendRef } from '../backend-ref.ts';
import { isRecord } from '../../lib/is-record.ts';
import type { RouteBackend } from '../model.ts';
import { ownerOf } from '../owner-of.ts';
import { reportFor } from '../report-for.ts';
import { endpointsToServers } from './endpoints-to-servers.ts';
import { type ServicePort, servicePort } from './service-port.ts';
import { sliceEndpoints } from './slice-endpoints.ts';

const serviceNameLabel = 'kubernetes.io/service-name';

export interface BackendSources {
  /** What is to be served, by backend key (see backendKey): a Service port that several routes name is one entry. */
  readonly refs: Collection<BackendRef>;
  /** Keyed `namespace/name`. */
  readonly services: Collection<KubeObject>;
  /** Keyed in any way; joined to their Service by namespace and the label kubernetes.io/service-name. */
  readonly endpointslices: Collection<KubeObject>;
}

export interface BackendProjections {
  /** What each reference came to, by backend key. */
  readonly ports: Collection<ServicePort>;
  /** One per reference, by backend key; without servers where the reference came to nothing. */
  readonly backends: Collection<RouteBackend>;
}

/**
 * Services and EndpointSlices → backends. One changed slice recomputes the backends of its own Service, one changed
 * Service those that name it, and only if the port or the family came out differently.
 */
export function createBackendProjections(
  graph: Graph,
  { refs, services, endpointslices }: BackendSources,
  profile: string,
): BackendProjections {
  const slicesByService = graph.indexBy('endpoints.slices-by-service', endpointslices, (slice) => {
    const labels: unknown = slice.metadata.labels;
    const service = isRecord(labels) ? labels[serviceNameLabel] : undefined;
    return typeof service === 'string' ? [`${slice.metadata.namespace ?? ''}/${service}`] : [];
  });

  const ports = graph.mapEntries(
    'endpoints.service-ports',
    refs,
    (ref, _key, reader) => {
      const service = reader.read(services, `${ref.namespace}/${ref.service}`);
      return servicePort(ref, service, reportFor(serviceOwner(ref), reader));
    },
    { reads: [services], ownerOf: serviceOwner },
  );

  const backends = graph.mapEntries(
    'backends',
    refs,
    (ref, name, reader): RouteBackend => {
      const port = reader.read(ports, name);
      const owner = serviceOwner(ref);
      if (port?.kind !== 'found') return { name, profile, servers: [], owner };
      const slices = reader.readIndex(slicesByService, `${ref.namespace}/${ref.service}`);
      const endpoints = slices.flatMap((slice) =>
        sliceEndpoints(slice, port.portName, reportFor(ownerOf('EndpointSlice', slice), reader)),
      );
      return { name, profile, servers: endpointsToServers(endpoints, port.family), owner };
    },
    { reads: [ports, slicesByService], ownerOf: serviceOwner },
  );

  return { ports, backends };
}

function serviceOwner(ref: BackendRef) {
  return { kind: 'Service', namespace: ref.namespace, name: ref.service };
}
