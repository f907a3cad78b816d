import type { RouteBackend } from '../model.ts';

type Protocol = Pick<RouteBackend, 'protocol' | 'tls'>;

const plain: Protocol = {};
const h2: Protocol = { protocol: 'h2' };
const tls: Protocol = { tls: { verify: 'none' } };

const protocols = new Map<string, Protocol>([
  ['http', plain],
  ['kubernetes.io/ws', plain],
  ['kubernetes.io/h2c', h2],
  ['grpc', h2],
  ['https', tls],
  ['kubernetes.io/wss', tls],
]);

/**
 * `appProtocol` of a Service port: Kubernetes' own names (KEP-3726) and those of IANA that say something of HTTP, in lower or upper case. `undefined`: another
 * one, of which nothing is known.
 */
export function appProtocol(value: unknown): Protocol | undefined {
  if (value === undefined || value === null || value === '') return plain;
  return typeof value === 'string' ? protocols.get(value.toLowerCase()) : undefined;
}
