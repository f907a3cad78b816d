import { createHash } from 'node:crypto';
import type { Owner } from '../../lib/owner.ts';
import type { BackendServer } from '../model.ts';

/** Servers with what their clients' cookies say: the same from every process and as long as the server has its name, and nothing that tells the name. */
export function withCookies(
  servers: readonly BackendServer[],
  { namespace, name: service }: Owner,
): readonly BackendServer[] {
  return servers.map((server) => {
    const hash = createHash('sha256').update(`${namespace}/${service}/${server.name}`).digest('hex');
    return { ...server, cookie: hash.slice(0, 16) };
  });
}
