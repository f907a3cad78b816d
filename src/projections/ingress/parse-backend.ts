import type { BackendRef } from '../backend-ref.ts';
import type { ReportFault } from '../fault.ts';
import { isPortNumber } from '../is-port-number.ts';
import { isRecord } from '../../lib/is-record.ts';
import { kubernetesName } from '../kubernetes-name.ts';
import { showValue } from '../show-value.ts';

/**
 * An IngressBackend (`paths[].backend`, `spec.defaultBackend`). `undefined` means that it cannot be served and that the
 * reason has been reported: such a path answers 503 and never falls through to a wider path's backend.
 */
export function parseBackend(
  backend: unknown,
  namespace: string,
  field: string,
  report: ReportFault,
): BackendRef | undefined {
  const refuse = (at: string, message: string, reason = 'InvalidBackend'): BackendRef | undefined => {
    report({ reason, field: `${field}${at}`, message });
    return undefined;
  };
  if (!isRecord(backend)) return refuse('', `must be an object, not ${showValue(backend)}`);
  const { service, resource } = backend;
  if (resource !== undefined && resource !== null) {
    return refuse('.resource', 'resource backends are not supported', 'ResourceBackendUnsupported');
  }
  if (!isRecord(service)) return refuse('.service', `must be an object, not ${showValue(service)}`);
  const { name, port } = service;
  if (!kubernetesName.label(name))
    return refuse('.service.name', `must be a Service's name: ${showValue(name)}`);
  if (!isRecord(port)) return refuse('.service.port', `must be an object, not ${showValue(port)}`);
  const named = port['name'] !== undefined && port['name'] !== null && port['name'] !== '';
  const numbered = port['number'] !== undefined && port['number'] !== null && port['number'] !== 0;
  if (named === numbered) return refuse('.service.port', 'must have either a name or a number');
  if (named) {
    if (kubernetesName.portName(port['name'])) return { namespace, service: name, port: port['name'] };
    return refuse('.service.port.name', `must be a port's name: ${showValue(port['name'])}`);
  }
  if (isPortNumber(port['number'])) return { namespace, service: name, port: port['number'] };
  return refuse('.service.port.number', `must be a number from 1 to 65535: ${showValue(port['number'])}`);
}
