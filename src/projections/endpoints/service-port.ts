import type { KubeObject } from '../../api/kube-object.ts';
import type { BackendRef } from '../backend-ref.ts';
import type { ReportFault } from '../fault.ts';
import { isRecord } from '../../lib/is-record.ts';
import { listField } from '../list-field.ts';
import { recordField } from '../record-field.ts';

export type AddressFamily = 'IPv4' | 'IPv6';

/** What a backend reference comes to when its Service is looked up. Only `found` has servers. */
export type ServicePort =
  | {
      readonly kind: 'found';
      /** The Service port's name, by which EndpointSlices carry the pods' port; empty for an unnamed one. */
      readonly portName: string;
      /** Family preferred where a Service has both. */
      readonly family: AddressFamily;
    }
  | { readonly kind: 'no-service' | 'no-port' | 'external-name' };

/**
 * Finds the port of a Service (v1) by name or by the Service's own number; TCP only, so that 53/UDP never shadows 53/TCP.
 * Which number the pods listen on is not read here: that is the slices' business.
 */
export function servicePort(
  ref: BackendRef,
  service: KubeObject | undefined,
  report: ReportFault,
): ServicePort {
  if (service === undefined) return { kind: 'no-service' };
  const spec = recordField(service['spec'], 'spec', report);
  if (spec === undefined) return { kind: 'no-port' };
  if (spec['type'] === 'ExternalName') return { kind: 'external-name' };
  const wanted = typeof ref.port === 'number' ? 'port' : 'name';
  const port = listField(spec['ports'], 'spec.ports', report)?.find(
    (entry) => isRecord(entry) && entry[wanted] === ref.port && (entry['protocol'] ?? 'TCP') === 'TCP',
  );
  if (!isRecord(port)) return { kind: 'no-port' };
  const families = spec['ipFamilies'];
  const family = Array.isArray(families) && families[0] === 'IPv6' ? 'IPv6' : 'IPv4';
  return { kind: 'found', portName: typeof port['name'] === 'string' ? port['name'] : '', family };
}
