import type { KubeObject } from '../../../src/api/kube-object.ts';

export interface RouteSpec {
  readonly name: string;
  readonly namespace: string;
  readonly host: string;
  readonly className: string;
  /** Endpoint addresses, all with `port`. */
  readonly addresses: readonly string[];
  readonly port: number;
  readonly labels?: Readonly<Record<string, string>>;
}

const metadata = (
  { name, namespace, labels = {} }: RouteSpec,
  extra: Readonly<Record<string, string>> = {},
) => ({
  name,
  namespace,
  labels: { ...labels, ...extra },
});

export function ingressOf(route: RouteSpec): KubeObject {
  const backend = { service: { name: route.name, port: { number: 80 } } };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: metadata(route),
    spec: {
      ingressClassName: route.className,
      rules: [{ host: route.host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
    },
  };
}

export function serviceOf(route: RouteSpec): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(route),
    spec: { type: 'ClusterIP', ports: [{ name: 'http', port: 80, targetPort: route.port, protocol: 'TCP' }] },
  };
}

export function endpointSliceOf(route: RouteSpec): KubeObject {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: metadata(route, { 'kubernetes.io/service-name': route.name }),
    addressType: 'IPv4',
    ports: [{ name: 'http', port: route.port, protocol: 'TCP' }],
    endpoints: route.addresses.map((address) => ({
      addresses: [address],
      conditions: { ready: true, serving: true, terminating: false },
      targetRef: {
        kind: 'Pod',
        namespace: route.namespace,
        name: `${route.name}-${address.replaceAll('.', '-')}`,
      },
    })),
  };
}

/** The i-th of the routes that benches are run with. */
export const routeOf = (i: number): RouteSpec => ({
  name: `app-${String(i).padStart(5, '0')}`,
  namespace: 'bench',
  host: `app-${i}.example.com`,
  className: 'haptic',
  addresses: [0, 1, 2].map((n) => `10.${(i >> 12) & 255}.${(i >> 4) & 255}.${((i & 15) << 2) + n + 1}`),
  port: 8080,
});

/** Its first endpoint is another pod at another address: one server comes, one goes. */
export function moved(route: RouteSpec, i: number): RouteSpec {
  return { ...route, addresses: [`10.200.${(i >> 8) & 255}.${i & 255}`, ...route.addresses.slice(1)] };
}

export const ingressClass: KubeObject = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  metadata: { name: 'haptic' },
  spec: { controller: 'haproxy-haptic.org/controller' },
};

export const haproxyPod = (address: string, i: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `haproxy-${i}`, namespace: 'haptic', uid: `pod-${i}`, labels: {} },
  spec: { containers: [{ name: 'agent' }] },
  status: {
    podIP: address,
    phase: 'Running',
    containerStatuses: [{ name: 'agent', containerID: `x://${i}`, state: { running: {} } }],
  },
});
