import type { KubeObject } from '../../api/kube-object.ts';
import type { Collection, Graph } from '../../collections/types.ts';
import { createBackendProjections } from '../endpoints/create-backend-projections.ts';
import type { Host, Route, RouteBackend } from '../model.ts';
import { createClaims } from './create-claims.ts';
import { createSelectedIngresses } from './create-selected-ingresses.ts';
import { createIngressRoutes } from './create-ingress-routes.ts';
import { createIngressHosts } from './create-ingress-hosts.ts';
import { createIngressTls } from './create-ingress-tls.ts';
import type { TlsUse } from '../tls/tls-use.ts';
import { createBackendRefs } from './create-backend-refs.ts';
import { createPublishedAddresses, type Publishing } from '../published-addresses.ts';
import { createBackendChecks } from './create-backend-checks.ts';
import { createIngressStatuses, type IngressStatus } from './create-ingress-statuses.ts';

export interface IngressSources {
  readonly ingresses: Collection<KubeObject>;
  readonly ingressClasses: Collection<KubeObject>;
  /** Keyed `namespace/name`. */
  readonly services: Collection<KubeObject>;
  readonly endpointslices: Collection<KubeObject>;
}

export interface IngressOptions {
  /** `spec.controller` of the IngressClasses that are served. Default `haproxy-haptic.org/controller`. */
  readonly controller?: string;
  /** Profile of the backends. Default `haptic-http`, which the base library always renders. */
  readonly profile?: string;
  /** Default: nothing is published. */
  readonly publishing?: Publishing;
}

export interface IngressProjections {
  /** By group. */
  readonly hosts: Collection<Host>;
  /** By `<group> <match> <path>`. */
  readonly routes: Collection<Route>;
  /** By proxy name. */
  readonly backends: Collection<RouteBackend>;
  /** By `namespace/name` of the Ingress. */
  readonly ingressStatuses: Collection<IngressStatus>;
  /** What is said of certificates, see `createTlsProjections`; by key of the Ingress and place in it. */
  readonly tlsUses: Collection<TlsUse>;
}

/**
 * Ingress, IngressClass, Service and EndpointSlice objects → hosts, routes and backends, as a chain of small collections:
 * selected Ingresses → claims → routes (conflicts decided) → referenced Service ports → backends. Problems are reported
 * to the objects they are about; nothing malformed hides what is well-formed.
 */
export function createIngressProjections(
  graph: Graph,
  { ingresses, ingressClasses, services, endpointslices }: IngressSources,
  options: IngressOptions = {},
): IngressProjections {
  const {
    controller = 'haproxy-haptic.org/controller',
    profile = 'haptic-http',
    publishing = { addresses: [] },
  } = options;
  const selected = createSelectedIngresses(graph, ingresses, ingressClasses, controller);
  const claims = createClaims(graph, selected);
  const hosts = createIngressHosts(graph, claims);
  const routes = createIngressRoutes(graph, claims);
  const refs = createBackendRefs(graph, routes);
  const { ports, backends } = createBackendProjections(graph, { refs, services, endpointslices }, profile);
  createBackendChecks(graph, routes, ports);
  const addresses = createPublishedAddresses(graph, services, publishing);
  const ingressStatuses = createIngressStatuses(graph, selected, addresses);
  const tlsUses = createIngressTls(graph, selected);
  return { hosts, routes, backends, ingressStatuses, tlsUses };
}
