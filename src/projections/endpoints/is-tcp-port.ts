import { isRecord } from '../../lib/is-record.ts';

/** Whether this is a port of a Service or an EndpointSlice that TCP is spoken at, which is the default of both. */
export function isTcpPort(port: unknown): port is Readonly<Record<string, unknown>> {
  return isRecord(port) && (port['protocol'] ?? 'TCP') === 'TCP';
}
