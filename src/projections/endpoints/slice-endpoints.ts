import type { KubeObject } from '../../api/kube-object.ts';
import type { ReportFault } from '../fault.ts';
import { isPortNumber } from '../is-port-number.ts';
import { isRecord } from '../../lib/is-record.ts';
import { kubernetesName } from '../kubernetes-name.ts';
import { listField } from '../list-field.ts';
import { recordField } from '../record-field.ts';
import { showValue } from '../show-value.ts';
import type { Endpoint } from './endpoint.ts';
import { endpointState } from './endpoint-state.ts';
import { isTcpPort } from './is-tcp-port.ts';
import { parseAddress } from './parse-address.ts';
import type { AddressFamily, SlicePort } from './service-port.ts';

/**
 * The endpoints that an EndpointSlice (discovery.k8s.io/v1, unvalidated JSON) has for a Service port, by its name. The
 * port's number is the slice's own. A malformed endpoint is reported and left out; the others stay. Of an endpoint's
 * addresses the first counts: the API gives the others no meaning.
 *
 * When a port of a Service gets another name, its slices, which Kubernetes makes, follow some time later. Until then the port that must have been it counts, so
 * that nobody is refused meanwhile.
 */
export function sliceEndpoints(
  slice: KubeObject,
  wanted: SlicePort,
  report: ReportFault,
): readonly Endpoint[] {
  const listed = listField(slice['endpoints'], 'endpoints', report);
  if (listed === undefined || listed.length === 0) return [];
  const family = slice['addressType'];
  if (family !== 'IPv4' && family !== 'IPv6') {
    const message = `must be IPv4 or IPv6: ${showValue(family)}`;
    report({ reason: 'AddressTypeUnsupported', field: 'addressType', message });
    return [];
  }
  const port = portNumber(slice, wanted, report);
  if (port === undefined) return [];
  return listed.flatMap((value, i) => {
    const endpoint = readEndpoint(value, `endpoints[${i}]`, family, report);
    return endpoint === undefined ? [] : [{ ...endpoint, family, port }];
  });
}

function portNumber(slice: KubeObject, wanted: SlicePort, report: ReportFault): number | undefined {
  const ports = listField(slice['ports'], 'ports', report);
  if (ports === undefined) return undefined;
  const index = ports.findIndex((port) => isTcpPort(port) && (port['name'] ?? '') === wanted.name);
  const found = ports[index];
  if (!isRecord(found) || found['port'] === undefined || found['port'] === null) {
    const former = index === -1 ? formerNumber(slice, ports, wanted) : undefined;
    if (former !== undefined) return former;
    const message = `has no number for the Service's port ${showValue(wanted.name)}: its endpoints get no traffic`;
    report({ reason: 'EndpointPortMissing', field: 'ports', message, severity: 'warning' });
    return undefined;
  }
  if (isPortNumber(found['port'])) return found['port'];
  const message = `must be a number from 1 to 65535: ${showValue(found['port'])}`;
  report({ reason: 'InvalidPort', field: `ports[${index}].port`, message });
  return undefined;
}

const managedBy = 'endpointslice.kubernetes.io/managed-by';
const kubernetes = 'endpointslice-controller.k8s.io';

/**
 * The number of the one port that only can be the wanted one by its former name: the Service has no other of that name, and it has the number that the Service says,
 * or either has but one port. In slices that somebody else writes, names are as they are meant.
 */
function formerNumber(
  { metadata: { labels } }: KubeObject,
  ports: readonly unknown[],
  { others, number }: SlicePort,
): number | undefined {
  if (!isRecord(labels) || labels[managedBy] !== kubernetes) return undefined;
  const former = ports
    .filter(isTcpPort)
    .filter((port) => !others.some((name) => name === port['name']))
    .map((port) => port['port'])
    .filter(isPortNumber)
    .filter((port) => (number === undefined ? others.length === 0 : port === number));
  return former.length === 1 ? former[0] : undefined;
}

function readEndpoint(
  value: unknown,
  field: string,
  family: AddressFamily,
  report: ReportFault,
): Pick<Endpoint, 'address' | 'state' | 'name' | 'zones'> | undefined {
  const endpoint = recordField(value, field, report);
  if (endpoint === undefined) return undefined;
  const state = endpointState(endpoint['conditions']);
  if ('fault' in state) {
    report({ reason: 'InvalidField', field: `${field}.conditions`, message: state.fault });
    return undefined;
  }
  if (state.value === 'gone') return undefined;
  const addresses = endpoint['addresses'];
  const address = parseAddress(Array.isArray(addresses) ? addresses[0] : addresses, family);
  if ('fault' in address) {
    report({ reason: 'InvalidAddress', field: `${field}.addresses[0]`, message: address.fault });
    return undefined;
  }
  return {
    address: address.value,
    state: state.value,
    zones: zonesOf(endpoint['hints'], `${field}.hints`, report),
    name: podName(endpoint['targetRef']) ?? address.value.replaceAll(':', '-'),
  };
}

const anyZone: readonly string[] = [];

function zonesOf(value: unknown, field: string, report: ReportFault): readonly string[] {
  if (value === undefined || value === null) return anyZone;
  const hints = recordField(value, field, report);
  const zones = listField(hints?.['forZones'], `${field}.forZones`, report) ?? anyZone;
  const names = zones.map((zone) => (isRecord(zone) ? zone['name'] : undefined));
  return names.filter((name) => typeof name === 'string');
}

function podName(targetRef: unknown): string | undefined {
  if (!isRecord(targetRef) || targetRef['kind'] !== 'Pod') return undefined;
  return kubernetesName.subdomain(targetRef['name']) ? targetRef['name'] : undefined;
}
