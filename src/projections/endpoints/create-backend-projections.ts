import type { KubeObject } from '../../api/kube-object.ts';
import type { Collection, Graph } from '../../collections/types.ts';
import type { BackendRef } from '../backend-ref.ts';
import { isRecord } from '../../lib/is-record.ts';
import type { RouteBackend } from '../model.ts';
import { ownerOf } from '../owner-of.ts';
import { reportFor } from '../report-for.ts';
import type { Endpoint } from './endpoint.ts';
import { endpointsToServers } from './endpoints-to-servers.ts';
import type { ExternalNames } from './external-names.ts';
import { externalBackend } from './external-backend.ts';
import { mayCache } from './may-cache.ts';
import { serverCheck } from './server-check.ts';
import { serverLimits } from './server-limits.ts';
import { serverOptions, type ServerSecrets } from './server-options.ts';
import { type ServicePort, servicePort } from './service-port.ts';
import { sliceEndpoints } from './slice-endpoints.ts';
import { withCookies } from './with-cookies.ts';

const serviceNameLabel = 'kubernetes.io/service-name';

export interface BackendSources {
  /** What is to be served, by backend key (see backendKey): a Service port that several routes name is one entry. */
  readonly refs: Collection<BackendRef>;
  /** Keyed `namespace/name`. */
  readonly services: Collection<KubeObject>;
  /** Keyed in any way; joined to their Service by namespace and the label kubernetes.io/service-name. */
  readonly endpointslices: Collection<KubeObject>;
  readonly secrets: ServerSecrets;
}

export interface BackendOptions {
  /** Profile of the backends that have none of their own. */
  readonly plainProfile: string;
  readonly externalNames: ExternalNames;
  /** Zone of HAProxy, by which endpoints are chosen. Default: none is. */
  readonly zone?: string;
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
  { refs, services, endpointslices, secrets }: BackendSources,
  { plainProfile, externalNames, zone }: BackendOptions,
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
      return servicePort(ref, service, externalNames, reportFor(serviceOwner(ref), reader));
    },
    { reads: [services], ownerOf: serviceOwner },
  );

  const backends = graph.mapEntries(
    'backends',
    refs,
    (ref, name, reader): RouteBackend => {
      const port = reader.read(ports, name);
      const owner = backendOwner(ref);
      const isPassed = ref.passthrough === true;
      const common = {
        name,
        profile: isPassed ? 'haptic-tcp' : (ref.profile?.name ?? plainProfile),
        ...(isPassed && { mode: 'tcp' as const }),
        ...(mayCache(ref) && { cached: true as const }),
        owner,
      };
      const slices = () => reader.readIndex(slicesByService, `${ref.namespace}/${ref.service}`);
      const endpointsOf = (slice: KubeObject) =>
        port?.kind === 'found'
          ? sliceEndpoints(slice, port.port, reportFor(ownerOf('EndpointSlice', slice), reader))
          : [];
      const found = servedBy(port, () => slices().flatMap(endpointsOf), zone);
      const options = found && serverOptions(ref, found, reader, secrets);
      if (found === undefined || options === undefined) return { ...common, servers: [] };
      const { external } = found;
      // Without the rules of the profile, the address of such a server is HAProxy's own.
      if (ref.closed === true || (external !== undefined && ref.profile?.shape['external'] !== true))
        return { ...common, servers: [] };
      const servers =
        ref.profile?.shape['affinity'] === 'cookie' ? withCookies(found.servers, owner) : found.servers;
      if (!isPassed) {
        const limits = serverLimits(ref.server);
        // A server whose name is found for each request has no address of its own that could be checked.
        const check = external === undefined ? serverCheck(ref) : undefined;
        const more = { ...(limits && { limits }), ...(check && { check }), ...(external && { external }) };
        return { ...common, ...options, servers, ...more };
      }
      const { proxyProtocol } = options;
      return { ...common, servers, ...(proxyProtocol && { proxyProtocol }) };
    },
    {
      reads: [ports, slicesByService, secrets.trust, secrets.identities],
      ownerOf: backendOwner,
    },
  );

  return { ports, backends };
}

/** HAProxy refuses what is said in its own language with the backend that has it. */
function backendOwner(ref: BackendRef) {
  return ref.snippetOf ?? serviceOwner(ref);
}

function serviceOwner(ref: BackendRef) {
  return { kind: 'Service', namespace: ref.namespace, name: ref.service };
}

/** The servers of a port and what they speak by its own word; undefined: there is no such port. */
function servedBy(
  port: ServicePort | undefined,
  endpoints: () => readonly Endpoint[],
  zone: string | undefined,
): Pick<RouteBackend, 'servers' | 'protocol' | 'tls' | 'external'> | undefined {
  if (port?.kind === 'external') return externalBackend(port);
  if (port?.kind !== 'found') return undefined;
  const { protocol, tls, family } = port;
  return {
    servers: endpointsToServers(endpoints(), family, zone),
    ...(protocol && { protocol }),
    ...(tls && { tls }),
  };
}
