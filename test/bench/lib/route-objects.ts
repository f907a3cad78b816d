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
