import { isIPv4, isIPv6 } from 'node:net';
import type { ApiObject } from '../api-object.ts';
import type { Cause } from '../api-status.ts';
import { duplicate, invalid, notSupported, required } from '../field-errors.ts';
import { getIn, isRecord, listOf, textOf } from '../json.ts';
import { validateLabels } from '../validate-metadata.ts';
import { dnsLabelHint, dnsSubdomainHint, isDnsLabel, isDnsSubdomain, isPortName } from '../validate-names.ts';
import { immutable, isPort } from './common-rules.ts';

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const protocols = ['SCTP', 'TCP', 'UDP'];
const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const maxEndpoints = 1000;
const maxPorts = 20_000;

/** Type, ports and selector of a Service. */
export function validateService(object: ApiObject, previous: ApiObject | undefined): readonly Cause[] {
  const spec = object['spec'];
  if (!isRecord(spec)) return [required('spec.ports')];
  const type = textOf(spec['type']);
  const ports = listOf(spec['ports']);
  const headless = spec['clusterIP'] === 'None';
  const causes: Cause[] = [];
  if (!types.includes(type)) causes.push(notSupported('spec.type', type, types));
  if (type === 'ExternalName') {
    const name = textOf(spec['externalName']);
    if (!isDnsSubdomain(name.replace(/\.$/, '')))
      causes.push(invalid('spec.externalName', name, dnsSubdomainHint));
  } else if (ports.length === 0 && !headless) causes.push(required('spec.ports'));
  causes.push(
    ...validatePorts(ports, 'spec.ports', 'port'),
    ...validateLabels(spec['selector'], 'spec.selector'),
  );
  if (textOf(getIn(previous, ['spec', 'clusterIP'])) !== '' && getIn(previous, ['spec', 'type']) === type)
    causes.push(...immutable(object, previous, 'spec.clusterIP'));
  return causes;
}

/** Address type, endpoints and ports of an EndpointSlice. Loopback addresses are welcome here. */
export function validateEndpointSlice(object: ApiObject, previous: ApiObject | undefined): readonly Cause[] {
  const type = textOf(object['addressType']);
  const endpoints = listOf(object['endpoints']);
  const causes: Cause[] = [...immutable(object, previous, 'addressType')];
  if (type === '') causes.push(required('addressType'));
  else if (!addressTypes.includes(type)) causes.push(notSupported('addressType', type, addressTypes));
  if (endpoints.length > maxEndpoints) {
    causes.push({
      reason: 'FieldValueTooLong',
      field: 'endpoints',
      message: `Too many: ${endpoints.length}: must have at most ${maxEndpoints} items`,
    });
  }
  endpoints.forEach((endpoint, i) => {
    const addresses = listOf(getIn(endpoint, ['addresses']));
    const at = `endpoints[${i}].addresses`;
    if (addresses.length === 0) causes.push(required(at, 'must contain at least 1 address'));
    addresses.forEach((address, n) => causes.push(...validateAddress(textOf(address), type, `${at}[${n}]`)));
    const hostname = getIn(endpoint, ['hostname']);
    if (hostname !== undefined && !isDnsLabel(textOf(hostname)))
      causes.push(invalid(`endpoints[${i}].hostname`, hostname, dnsLabelHint));
  });
  const ports = listOf(object['ports']);
  if (ports.length > maxPorts)
    causes.push({
      reason: 'FieldValueTooLong',
      field: 'ports',
      message: `Too many: must have at most ${maxPorts} items`,
    });
  return [...causes, ...validateSlicePorts(ports)];
}

function validateAddress(address: string, type: string, field: string): readonly Cause[] {
  if (type === 'IPv4' && !isIPv4(address)) return [invalid(field, address, 'must be a valid IPv4 address')];
  if (type === 'IPv6' && !isIPv6(address)) return [invalid(field, address, 'must be a valid IPv6 address')];
  if (type === 'FQDN' && !isDnsSubdomain(address)) return [invalid(field, address, dnsSubdomainHint)];
  return [];
}

function validateSlicePorts(ports: readonly unknown[]): readonly Cause[] {
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const name = textOf(getIn(port, ['name']));
    const number = getIn(port, ['port']);
    const causes: Cause[] = [];
    if (names.has(name)) causes.push(duplicate(`ports[${i}].name`, name));
    names.add(name);
    if (name !== '' && !isDnsLabel(name)) causes.push(invalid(`ports[${i}].name`, name, dnsLabelHint));
    if (number !== undefined && !isPort(number))
      causes.push(invalid(`ports[${i}].port`, number, 'must be between 1 and 65535, inclusive'));
    causes.push(...validateProtocol(port, `ports[${i}].protocol`));
    return causes;
  });
}

function validatePorts(ports: readonly unknown[], at: string, field: string): readonly Cause[] {
  const seen = new Set<string>();
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const name = textOf(getIn(port, ['name']));
    const number = getIn(port, [field]);
    const target = getIn(port, ['targetPort']);
    const key = `${String(number)}/${textOf(getIn(port, ['protocol']))}`;
    const causes: Cause[] = [];
    if (name === '' && ports.length > 1) causes.push(required(`${at}[${i}].name`));
    if (name !== '' && !isDnsLabel(name)) causes.push(invalid(`${at}[${i}].name`, name, dnsLabelHint));
    if (name !== '' && names.has(name)) causes.push(duplicate(`${at}[${i}].name`, name));
    if (!isPort(number))
      causes.push(invalid(`${at}[${i}].${field}`, number ?? 0, 'must be between 1 and 65535, inclusive'));
    else if (seen.has(key)) causes.push(duplicate(`${at}[${i}]`, port));
    if (typeof target === 'number' ? !isPort(target) : target !== undefined && !isPortName(textOf(target)))
      causes.push(
        invalid(`${at}[${i}].targetPort`, target, 'must be a port number between 1 and 65535 or a port name'),
      );
    names.add(name);
    seen.add(key);
    return [...causes, ...validateProtocol(port, `${at}[${i}].protocol`)];
  });
}

function validateProtocol(port: unknown, field: string): readonly Cause[] {
  const protocol = getIn(port, ['protocol']);
  return protocol === undefined || protocols.includes(textOf(protocol))
    ? []
    : [notSupported(field, protocol, protocols)];
}
