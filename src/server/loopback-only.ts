import type { FastifyReply, FastifyRequest } from 'fastify';

const loopbackAddress = /^(127\.|::1$|::ffff:127\.)/;
const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Lets a request pass only if it comes over the loopback interface and names a loopback host: the second check keeps
 * pages in a local browser from reaching debug data through a host name that resolves to 127.0.0.1 (DNS rebinding).
 */
export async function loopbackOnly(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const host = request.headers.host ?? '';
  if (loopbackAddress.test(request.socket.remoteAddress ?? '') && loopbackHost.test(host)) return;
  await reply.code(403).send({ error: 'debug endpoints answer on loopback only; use kubectl port-forward' });
}
