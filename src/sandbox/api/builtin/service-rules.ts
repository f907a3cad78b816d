import type { ApiObject } from '../api-object.ts';
import { cellText, getIn, isRecord, listOf, textOf } from '../json.ts';
import type { Column } from '../resource-type.ts';

/**
 * Service defaults, with a cluster IP of 10.96.0.0/12 for each new Service that wants one. Nobody serves these
 * addresses; they are there because clients and `kubectl` expect one.
 */
export function createServiceDefaults(): (object: ApiObject, previous: ApiObject | undefined) => ApiObject {
  let last = 0;
  const nextAddress = () => {
    last++;
    return `10.${96 + ((last >> 16) & 15)}.${(last >> 8) & 255}.${last & 255}`;
  };
  return (object, previous) => {
    const spec = object['spec'];
    if (!isRecord(spec)) return object;
    const type = textOf(spec['type']) || 'ClusterIP';
    if (type === 'ExternalName')
      return { ...object, spec: { sessionAffinity: 'None', ...spec, type, ...ports(spec) } };
    const kept = textOf(getIn(previous, ['spec', 'clusterIP']));
    const clusterIP = textOf(spec['clusterIP']) || kept || nextAddress();
    return {
      ...object,
      spec: {
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
        ipFamilies: [clusterIP.includes(':') ? 'IPv6' : 'IPv4'],
        ipFamilyPolicy: 'SingleStack',
        ...(type === 'LoadBalancer' || type === 'NodePort' ? { externalTrafficPolicy: 'Cluster' } : {}),
        ...(type === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: true } : {}),
        clusterIPs: [clusterIP],
        ...spec,
        type,
        clusterIP,
        ...ports(spec),
      },
      status: isRecord(object['status']) ? object['status'] : { loadBalancer: {} },
    };
  };
}

function ports(spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!Array.isArray(spec['ports'])) return {};
  return {
    ports: spec['ports'].map((port: unknown) =>
      isRecord(port)
        ? { protocol: 'TCP', ...(port['port'] === undefined ? {} : { targetPort: port['port'] }), ...port }
        : port,
    ),
  };
}

export const serviceColumns: readonly Column[] = [
  { name: 'Type', type: 'string', cell: (service) => getIn(service, ['spec', 'type']) },
  {
    name: 'Cluster-IP',
    type: 'string',
    cell: (service) => getIn(service, ['spec', 'clusterIP']) ?? '<none>',
  },
  { name: 'External-IP', type: 'string', cell: externalAddress },
  { name: 'Port(s)', type: 'string', cell: portsCell },
  { name: 'Age', type: 'date', cell: (service) => service.metadata.creationTimestamp },
  { name: 'Selector', type: 'string', priority: 1, cell: selectorCell },
];

function externalAddress(service: ApiObject): string {
  const type = getIn(service, ['spec', 'type']);
  if (type === 'ExternalName') return textOf(getIn(service, ['spec', 'externalName']));
  const own = listOf(getIn(service, ['spec', 'externalIPs'])).map(String);
  const given = listOf(getIn(service, ['status', 'loadBalancer', 'ingress'])).map(
    (item) => textOf(getIn(item, ['ip'])) || textOf(getIn(item, ['hostname'])),
  );
  const all = [...given, ...own].filter((address) => address !== '');
  return all.length > 0 ? all.join(',') : type === 'LoadBalancer' ? '<pending>' : '<none>';
}

function portsCell(service: ApiObject): string {
  const texts = listOf(getIn(service, ['spec', 'ports'])).map((port) => {
    const node = getIn(port, ['nodePort']);
    return `${String(getIn(port, ['port']))}${node === undefined ? '' : `:${cellText(node)}`}/${textOf(getIn(port, ['protocol'])) || 'TCP'}`;
  });
  return texts.length === 0 ? '<none>' : texts.join(',');
}

function selectorCell(service: ApiObject): string {
  const selector = getIn(service, ['spec', 'selector']);
  if (!isRecord(selector)) return '<none>';
  return Object.keys(selector)
    .sort()
    .map((key) => `${key}=${String(selector[key])}`)
    .join(',');
}
