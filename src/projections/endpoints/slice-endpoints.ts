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
import { parseAddress } from './parse-address.ts';
import type { AddressFamily } from './service-port.ts';

/**
 * The endpoints that an EndpointSlice (discovery.k8s.io/v1, unvalidated JSON) has for the Service port of that name. The
 * port's number is the slice's own. A malformed endpoint is reported and left out; the others stay. Of an endpoint's
 * addresses the first counts: the API gives the others no meaning.
 */
export function sliceEndpoints(
  slice: KubeObject,
  portName: string,
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
  const port = portNumber(slice, portName, report);
  if (port === undefined) return [];
  return listed.flatMap((value, i) => {
    const endpoint = readEndpoint(value, `endpoints[${i}]`, family, report);
    return endpoint === undefined ? [] : [{ ...endpoint, family, port }];
  });
}

function portNumber(slice: KubeObject, portName: string, report: ReportFault): number | undefined {
  const ports = listField(slice['ports'], 'ports', report);
  if (ports === undefined) return undefined;
  const index = ports.findIndex(
    (port) => isRecord(port) && (port['name'] ?? '') === portName && (port['protocol'] ?? 'TCP') === 'TCP',
  );
  const found = ports[index];
  if (!isRecord(found) || found['port'] === undefined || found['port'] === null) {
    const message = `has no number for the Service's port ${showValue(portName)}: its endpoints get no traffic`;
    report({ reason: 'EndpointPortMissing', field: 'ports', message, severity: 'warning' });
    return undefined;
  }
  if (isPortNumber(found['port'])) return found['port'];
  const message = `must be a number from 1 to 65535: ${showValue(found['port'])}`;
  report({ reason: 'InvalidPort', field: `ports[${index}].port`, message });
  return undefined;
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
