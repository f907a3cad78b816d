import type { KubeObject } from '../../api/kube-object.ts';
import type { BackendRef } from '../backend-ref.ts';
import type { ReportFault } from '../fault.ts';
import { isPortNumber } from '../is-port-number.ts';
import { isRecord } from '../../lib/is-record.ts';
import { kubernetesName } from '../kubernetes-name.ts';
import { listField } from '../list-field.ts';
import type { RouteBackend } from '../model.ts';
import { recordField } from '../record-field.ts';
import { showValue } from '../show-value.ts';
import { appProtocol } from './app-protocol.ts';
import type { ExternalNames } from './external-names.ts';
import { isTcpPort } from './is-tcp-port.ts';
import { type ExternalTarget, parseExternalName } from './parse-external-name.ts';

export type AddressFamily = 'IPv4' | 'IPv6';

/** What a backend reference comes to when its Service is looked up. Only `found` and `external` have servers. */
export type ServicePort =
  | (PortProtocol & {
      readonly kind: 'found';
      readonly port: SlicePort;
      /** Family preferred where a Service has both. */
      readonly family: AddressFamily;
    })
  | (PortProtocol & { readonly kind: 'external'; readonly target: ExternalTarget; readonly port: number })
  | { readonly kind: 'no-service' }
  | {
      readonly kind: 'no-port';
      /** Some of the TCP ports that are there, each by number and name. */
      readonly there: readonly string[];
    }
  | {
      readonly kind: 'refused-name';
      /** Why, as the end of a sentence that begins with the field. */
      readonly fault: string;
    };

/** By what EndpointSlices carry the pods' port. */
export interface SlicePort {
  /** The Service port's name; empty for an unnamed one. */
  readonly name: string;
  /** Names of the Service's other TCP ports. */
  readonly others: readonly string[];
  /** The pods' port where the Service itself says its number. */
  readonly number?: number;
}

export type PortProtocol = Pick<RouteBackend, 'protocol' | 'tls'>;

/**
 * Finds the port of a Service (v1) by name or by the Service's own number; TCP only, so that 53/UDP never shadows 53/TCP.
 * Which number the pods listen on is not read here: that is the slices' business. A Service of type ExternalName has no slices that count; its ports may be
 * left out, and its `targetPort` is the other side's.
 */
export function servicePort(
  ref: Pick<BackendRef, 'port'>,
  service: KubeObject | undefined,
  externalNames: ExternalNames,
  report: ReportFault,
): ServicePort {
  if (service === undefined) return { kind: 'no-service' };
  const spec = recordField(service['spec'], 'spec', report);
  if (spec === undefined) return { kind: 'no-port', there: [] };
  const wanted = typeof ref.port === 'number' ? 'port' : 'name';
  const ports = listField(spec['ports'], 'spec.ports', report);
  const index = (ports ?? []).findIndex((entry) => isTcpPort(entry) && entry[wanted] === ref.port);
  const port = ports?.[index];
  if (spec['type'] === 'ExternalName') {
    const target = parseExternalName(spec['externalName'], externalNames);
    if ('fault' in target) return { kind: 'refused-name', fault: target.fault };
    const number = isRecord(port) ? targetPort(port) : ports?.length === 0 ? ref.port : undefined;
    if (typeof number !== 'number') return { kind: 'no-port', there: portsThere(ports ?? []) };
    return { kind: 'external', target: target.value, port: number, ...protocolOf(port, index, report) };
  }
  if (!isRecord(port)) return { kind: 'no-port', there: portsThere(ports ?? []) };
  const families = spec['ipFamilies'];
  const family = Array.isArray(families) && families[0] === 'IPv6' ? 'IPv6' : 'IPv4';
  return { kind: 'found', port: slicePort(port, ports ?? []), family, ...protocolOf(port, index, report) };
}

const mostTold = 8;

function portsThere(ports: readonly unknown[]): readonly string[] {
  return ports
    .filter(isTcpPort)
    .filter((port) => isPortNumber(port['port']))
    .slice(0, mostTold)
    .map((port) =>
      [port['port'], ...(kubernetesName.portName(port['name']) ? [`(${port['name']})`] : [])].join(' '),
    );
}

function slicePort(port: Readonly<Record<string, unknown>>, ports: readonly unknown[]): SlicePort {
  const others = ports.filter(isTcpPort).filter((other) => other !== port);
  const number = port['targetPort'] ?? port['port'];
  return {
    name: nameOf(port),
    others: others.map(nameOf),
    ...(isPortNumber(number) && { number }),
  };
}

function nameOf(port: Readonly<Record<string, unknown>>): string {
  return typeof port['name'] === 'string' ? port['name'] : '';
}

/** The number there: that of the port itself where `targetPort` is a name, which only pods have. */
function targetPort(port: Readonly<Record<string, unknown>>): number | undefined {
  return [port['targetPort'], port['port']].find(isPortNumber);
}

function protocolOf(port: unknown, index: number, report: ReportFault): PortProtocol {
  const value = isRecord(port) ? port['appProtocol'] : undefined;
  const known = appProtocol(value);
  if (known !== undefined) return known;
  const message = `is not known, so HTTP/1.1 is spoken: ${showValue(value)}`;
  const field = `spec.ports[${index}].appProtocol`;
  report({ reason: 'AppProtocolUnknown', field, message, severity: 'warning' });
  return {};
}
