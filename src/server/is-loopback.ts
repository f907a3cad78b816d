import type { FastifyRequest } from 'fastify';

const loopbackAddress = /^(127\.|::1$|::ffff:127\.)/;
const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Whether a request comes over the loopback interface and names a loopback host: the second check keeps pages in a local browser from
 * reaching debug data through a host name that resolves to 127.0.0.1 (DNS rebinding).
 */
export function isLoopback(request: FastifyRequest): boolean {
  const host = request.headers.host ?? '';
  return loopbackAddress.test(request.socket.remoteAddress ?? '') && loopbackHost.test(host);
}
