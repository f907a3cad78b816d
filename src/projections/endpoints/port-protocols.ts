import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord } from '../../lib/is-record.ts';
import { appProtocol } from './app-protocol.ts';
import { isTcpPort } from './is-tcp-port.ts';

/** What is spoken with servers in place of HTTP/1.1 in the clear: HTTP/2 in the clear, or HTTP/1.1 over TLS. */
export type SpokenProtocol = 'h2' | 'tls';

/**
 * What the TCP ports of a Service say that they speak, by number and by name, as far as it is not HTTP/1.1 in the clear. The first of several with one number or
 * name counts, as it does for routes. What is malformed is told where a route names the port.
 */
export function portProtocols({ spec }: KubeObject): ReadonlyMap<string | number, SpokenProtocol> {
  const ports = isRecord(spec) && Array.isArray(spec['ports']) ? spec['ports'].filter(isTcpPort) : [];
  const seen = new Map<string | number, SpokenProtocol | undefined>();
  for (const port of ports) {
    const { protocol, tls } = appProtocol(port['appProtocol']) ?? {};
    const spoken = protocol ?? (tls && 'tls');
    for (const key of [port['port'], port['name']])
      if ((typeof key === 'number' || typeof key === 'string') && !seen.has(key)) seen.set(key, spoken);
  }
  const said = [...seen].flatMap(([key, spoken]) => (spoken === undefined ? [] : [[key, spoken] as const]));
  return new Map(said);
}
