import { once } from 'node:events';
import net from 'node:net';

/** A TCP port of `host` that nobody listened on a moment ago. Whoever asks should bind it soon. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = net.createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
