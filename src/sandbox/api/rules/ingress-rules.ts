import type { ApiObject } from '../api-object.ts';
import type { Cause } from '../api-status.ts';
import { invalid, notSupported, required } from '../field-errors.ts';
import { isPort } from './common-rules.ts';
import { getIn, isRecord, listOf, textOf } from '../json.ts';
import {
  dns1035Hint,
  dnsSubdomainHint,
  isDns1035Label,
  isDnsSubdomain,
  isPortName,
  isWildcardSubdomain,
  wildcardHint,
} from '../validate-names.ts';

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
const badSequences = ['//', '/./', '/../', '%2f', '%2F'];
const badSuffixes = ['/..', '/.'];
const ipAddress = /^\d{1,3}(\.\d{1,3}){3}$/;

/** Hosts, paths and backends of an Ingress, as networking.k8s.io/v1 requires them. */
export function validateIngress(object: ApiObject): readonly Cause[] {
  const spec = object['spec'];
  const rules = listOf(getIn(spec, ['rules']));
  const standard = getIn(spec, ['defaultBackend']);
  const className = getIn(spec, ['ingressClassName']);
  return [
    ...(rules.length === 0 && standard === undefined
      ? [invalid('spec', [], 'either `defaultBackend` or `rules` must be specified')]
      : []),
    ...(standard === undefined ? [] : validateBackend(standard, 'spec.defaultBackend')),
    ...rules.flatMap((rule, i) => validateRule(rule, `spec.rules[${i}]`)),
    ...listOf(getIn(spec, ['tls'])).flatMap((tls, i) => validateTls(tls, `spec.tls[${i}]`)),
    ...(className === undefined || isDnsSubdomain(textOf(className))
      ? []
      : [invalid('spec.ingressClassName', className, dnsSubdomainHint)]),
  ];
}

/** The controller of an IngressClass is a domain-prefixed path that never changes. */
export function validateIngressClass(object: ApiObject, previous: ApiObject | undefined): readonly Cause[] {
  const field = 'spec.controller';
  const controller = textOf(getIn(object, ['spec', 'controller']));
  const before = getIn(previous, ['spec', 'controller']);
  if (controller === '') return [required(field)];
  if (before !== undefined && before !== controller)
    return [invalid(field, controller, 'field is immutable')];
  return /^[a-z0-9.-]+\/[A-Za-z0-9/._~-]+$/.test(controller) && controller.length <= 250
    ? []
    : [invalid(field, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')];
}

function validateRule(rule: unknown, at: string): readonly Cause[] {
  const host = textOf(getIn(rule, ['host']));
  const http = getIn(rule, ['http']);
  const paths = listOf(getIn(http, ['paths']));
  return [
    ...(host === '' ? [] : validateHost(host, `${at}.host`)),
    ...(http !== undefined && paths.length === 0 ? [required(`${at}.http.paths`)] : []),
    ...paths.flatMap((path, i) => validatePath(path, `${at}.http.paths[${i}]`)),
  ];
}

function validateHost(host: string, field: string): readonly Cause[] {
  if (ipAddress.test(host) || host.includes(':'))
    return [invalid(field, host, 'must be a DNS name, not an IP address')];
  if (host.includes('*')) return isWildcardSubdomain(host) ? [] : [invalid(field, host, wildcardHint)];
  return isDnsSubdomain(host) ? [] : [invalid(field, host, dnsSubdomainHint)];
}

function validatePath(entry: unknown, at: string): readonly Cause[] {
  const type = getIn(entry, ['pathType']);
  const path = textOf(getIn(entry, ['path']));
  const backend = getIn(entry, ['backend']);
  const causes: Cause[] = [];
  if (type === undefined || type === '')
    causes.push(required(`${at}.pathType`, 'pathType must be specified'));
  else if (!pathTypes.includes(textOf(type))) causes.push(notSupported(`${at}.pathType`, type, pathTypes));
  else if (type !== 'ImplementationSpecific' || path !== '')
    causes.push(...validatePathText(path, textOf(type), `${at}.path`));
  return [
    ...causes,
    ...(isRecord(backend) ? validateBackend(backend, `${at}.backend`) : [required(`${at}.backend`)]),
  ];
}

function validatePathText(path: string, type: string, field: string): readonly Cause[] {
  if (!path.startsWith('/')) return [invalid(field, path, 'must be an absolute path')];
  if (type === 'ImplementationSpecific') return [];
  return [
    ...badSequences
      .filter((sequence) => path.includes(sequence))
      .map((sequence) => invalid(field, path, `must not contain '${sequence}'`)),
    ...badSuffixes
      .filter((suffix) => path.endsWith(suffix))
      .map((suffix) => invalid(field, path, `cannot end with '${suffix}'`)),
  ];
}

function validateBackend(backend: unknown, at: string): readonly Cause[] {
  const service = getIn(backend, ['service']);
  const resource = getIn(backend, ['resource']);
  if (service !== undefined && resource !== undefined)
    return [invalid(at, '', 'cannot set both resource and service backends')];
  if (resource !== undefined) return [];
  if (!isRecord(service)) return [required(at, 'resource or service backend is required')];
  const name = textOf(service['name']);
  const port = getIn(service, ['port', 'name']);
  const number = getIn(service, ['port', 'number']);
  const causes: Cause[] = [];
  if (name === '') causes.push(required(`${at}.service.name`));
  else if (!isDns1035Label(name)) causes.push(invalid(`${at}.service.name`, name, dns1035Hint));
  if (port !== undefined && number !== undefined)
    causes.push(invalid(`${at}.service.port`, '', 'cannot set both port name & port number'));
  else if (typeof port === 'string' && port !== '') {
    if (!isPortName(port)) causes.push(invalid(`${at}.service.port.name`, port, 'must be a valid port name'));
  } else if (number === undefined || number === 0)
    causes.push(required(`${at}.service.port`, 'port name or number is required'));
  else if (!isPort(number))
    causes.push(invalid(`${at}.service.port.number`, number, 'must be between 1 and 65535, inclusive'));
  return causes;
}

function validateTls(tls: unknown, at: string): readonly Cause[] {
  const secret = getIn(tls, ['secretName']);
  return [
    ...listOf(getIn(tls, ['hosts'])).flatMap((host, i) => validateHost(textOf(host), `${at}.hosts[${i}]`)),
    ...(secret === undefined || secret === '' || isDnsSubdomain(textOf(secret))
      ? []
      : [invalid(`${at}.secretName`, secret, dnsSubdomainHint)]),
  ];
}
