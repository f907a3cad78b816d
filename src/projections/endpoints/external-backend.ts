import type { BackendServer, RouteBackend } from '../model.ts';
import type { ServicePort } from './service-port.ts';

/** The one server of an ExternalName Service: at its literal address, or at whichever one HAProxy finds for each request. */
export function externalBackend({
  target,
  port,
  protocol,
  tls,
}: Extract<ServicePort, { readonly kind: 'external' }>): Pick<
  RouteBackend,
  'servers' | 'protocol' | 'tls' | 'external'
> {
  const server = (name: string, address: string): readonly BackendServer[] => [
    { name, address, port, weight: 100, disabled: false },
  ];
  const spoken = protocol && { protocol };
  if ('address' in target) {
    const { address } = target;
    return { servers: server(address.replaceAll(':', '-'), address), ...spoken, ...(tls && { tls }) };
  }
  const { host } = target;
  return {
    servers: server('external', '0.0.0.0'),
    ...spoken,
    ...(tls && { tls: { ...tls, isServerNameFound: true } }),
    external: host,
  };
}
