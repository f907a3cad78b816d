import { randomBytes } from 'node:crypto';
import { chmod, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';

/**
 * Lets a server listen on a unix socket that only its owner can open (0600). It appears under its name when it is ready and
 * takes the place of one that a killed agent left.
 *
 * @returns closes the server and removes the socket, unless another agent's has taken its place
 */
export async function listenLocal(app: FastifyInstance, socket: string): Promise<() => Promise<void>> {
  // Shorter than the final name, which the length of socket paths bounds.
  const draft = path.join(path.dirname(socket), `.${randomBytes(3).toString('hex')}`);
  await app.listen({ path: draft });
  await chmod(draft, 0o600);
  const own = (await stat(draft)).ino;
  await rename(draft, socket);
  return async () => {
    await app.close();
    const found = await stat(socket).catch(() => undefined);
    if (found?.ino === own) await rm(socket, { force: true });
  };
}
