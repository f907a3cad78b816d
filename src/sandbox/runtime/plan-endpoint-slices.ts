import { digest } from '../../lib/digest.ts';
import { canonicalJson } from './canonical-json.ts';
import {
  type Endpoint,
  type EndpointPort,
  type EndpointSlice,
  isPodReady,
  isTerminating,
  type Pod,
  type Service,
} from './kinds.ts';

/** Endpoints of one slice, as the real controller's default. */
export const endpointsPerSlice = 100;
export const slicesManagedBy = 'sandbox.haproxy-haptic.org';

export interface SliceChanges {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly remove: readonly EndpointSlice[];
}

/**
 * What to change so that a Service's slices show its pods. Pods that name ports resolve differently for go to different
 * slices, as do address families. A pod stays in the slice it is in, so that one pod's change never moves another: readers
 * that see slices one by one would lose it for a moment.
 *
 * @param pods of the Service's namespace that its selector picks
 * @param existing slices of this Service made by this controller
 */
export function planEndpointSlices(
  service: Service,
  pods: readonly Pod[],
  existing: readonly EndpointSlice[],
): SliceChanges {
  const wanted = groupByShape(service, pods);
  const names = new Set(existing.map((slice) => slice.metadata.name));
  const create: EndpointSlice[] = [];
  const update: EndpointSlice[] = [];
  const remove: EndpointSlice[] = [];

  // All slices keep what is theirs before any of them takes in what is new.
  const kept = existing.map((slice) => {
    const group = wanted.get(shapeOf(slice.addressType, slice.ports));
    const endpoints = slice.endpoints.flatMap((endpoint) => takeOut(group?.endpoints, podKey(endpoint)));
    return { slice, group, endpoints };
  });
  for (const { slice, group, endpoints } of kept) {
    const next = [...endpoints, ...takeFirst(group?.endpoints, endpointsPerSlice - endpoints.length)];
    if (next.length === 0) remove.push(slice);
    else if (!isSame(next, slice.endpoints)) update.push({ ...slice, endpoints: next });
  }
  for (const group of wanted.values())
    while (group.endpoints.size > 0)
      create.push(newSlice(service, group, takeFirst(group.endpoints, endpointsPerSlice), names));

  // A Service without endpoints shows that by one empty slice.
  if (create.length > 0 || remove.length < existing.length) return { create, update, remove };
  const [last] = remove.splice(0, 1);
  if (last === undefined) {
    const nothing = { addressType: 'IPv4', ports: [], endpoints: new Map<string, Endpoint>() } as const;
    return { create: [newSlice(service, nothing, [], names)], update, remove };
  }
  return { create, update: last.endpoints.length === 0 ? [] : [{ ...last, endpoints: [] }], remove };
}

interface Group {
  readonly addressType: 'IPv4' | 'IPv6';
  readonly ports: readonly EndpointPort[];
  /** By pod; emptied while slices are filled. */
  readonly endpoints: Map<string, Endpoint>;
}

function groupByShape(service: Service, pods: readonly Pod[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const pod of [...pods].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))) {
    const address = pod.status?.podIP;
    const phase = pod.status?.phase;
    if (address === undefined || phase === 'Succeeded' || phase === 'Failed') continue;
    const addressType = address.includes(':') ? 'IPv6' : 'IPv4';
    const ports = resolvePorts(service, pod);
    const shape = shapeOf(addressType, ports);
    let group = groups.get(shape);
    if (group === undefined) groups.set(shape, (group = { addressType, ports, endpoints: new Map() }));
    const endpoint = endpointOf(service, pod, address);
    group.endpoints.set(podKey(endpoint), endpoint);
  }
  return groups;
}

function endpointOf(service: Service, pod: Pod, address: string): Endpoint {
  const serving = isPodReady(pod);
  const terminating = isTerminating(pod);
  return {
    addresses: [address],
    conditions: {
      ready: service.spec.publishNotReadyAddresses === true || (serving && !terminating),
      serving,
      terminating,
    },
    ...(pod.spec.nodeName === undefined ? {} : { nodeName: pod.spec.nodeName }),
    targetRef: {
      kind: 'Pod',
      namespace: pod.metadata.namespace ?? '',
      name: pod.metadata.name,
      uid: pod.metadata.uid ?? '',
    },
  };
}

/** A port whose name the pod does not have is left out for that pod. */
function resolvePorts(service: Service, pod: Pod): readonly EndpointPort[] {
  return (service.spec.ports ?? []).flatMap((port) => {
    const protocol = port.protocol ?? 'TCP';
    const number = resolveTarget(port.targetPort ?? port.port, protocol, pod);
    if (number === undefined) return [];
    return [
      {
        name: port.name ?? '',
        port: number,
        protocol,
        ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
      },
    ];
  });
}

function resolveTarget(target: number | string, protocol: string, pod: Pod): number | undefined {
  if (typeof target === 'number') return target;
  return pod.spec.containers
    .flatMap((container) => container.ports ?? [])
    .find((port) => port.name === target && (port.protocol ?? 'TCP') === protocol)?.containerPort;
}

function newSlice(
  service: Service,
  group: Group,
  endpoints: readonly Endpoint[],
  names: Set<string>,
): EndpointSlice {
  const { namespace = '', name, uid = '' } = service.metadata;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace,
      name: freeName(name, uid, names),
      labels: {
        'kubernetes.io/service-name': name,
        'endpointslice.kubernetes.io/managed-by': slicesManagedBy,
      },
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Service', name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    addressType: group.addressType,
    endpoints,
    ports: group.ports,
  };
}

function freeName(service: string, uid: string, names: Set<string>): string {
  for (let n = 0; ; n++) {
    const name = `${service}-${digest(`${uid}/${n}`).slice(0, 5)}`;
    if (names.has(name)) continue;
    names.add(name);
    return name;
  }
}

function shapeOf(addressType: string, ports: readonly EndpointPort[]): string {
  const sorted = ports.map((p) => [p.name, p.port, p.protocol, p.appProtocol ?? '']).sort();
  return JSON.stringify([addressType, sorted]);
}

function podKey(endpoint: Endpoint): string {
  return endpoint.targetRef?.uid ?? endpoint.addresses.join();
}

function takeOut(from: Map<string, Endpoint> | undefined, key: string): readonly Endpoint[] {
  const endpoint = from?.get(key);
  if (endpoint === undefined) return [];
  from?.delete(key);
  return [endpoint];
}

function takeFirst(from: Map<string, Endpoint> | undefined, count: number): readonly Endpoint[] {
  const taken = [...(from ?? [])].slice(0, Math.max(0, count));
  for (const [key] of taken) from?.delete(key);
  return taken.map(([, endpoint]) => endpoint);
}

function isSame(a: readonly Endpoint[], b: readonly Endpoint[]): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
