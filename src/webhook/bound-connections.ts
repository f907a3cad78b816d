import type { RequestListener } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/**
 * Ends a connection where there would be more than `most`: the one that has been without a whole request for longest, be it that it says
 * nothing, or says it slowly. API servers say at once what they want; where one of theirs goes, they open another.
 *
 * @returns to be called with every request that is to be answered
 */
export function boundConnections(server: Server, most: number): RequestListener {
  /** Those without a whole request, longest first. */
  const idle = new Map<string, Socket>();
  const open = new Map<string, Socket>();
  server.prependListener('connection', (socket: Socket) => {
    const key = nameOf(socket);
    open.set(key, socket);
    idle.set(key, socket);
    socket.once('close', () => {
      if (open.get(key) !== socket) return;
      open.delete(key);
      idle.delete(key);
    });
    if (open.size <= most) return;
    const [longest = socket] = idle.values();
    longest.destroy();
  });
  return (request, response) => {
    // Under TLS, the socket is another one than that of the connection.
    const key = nameOf(request.socket);
    request.once('end', () => idle.delete(key));
    response.once('close', () => {
      const socket = open.get(key);
      idle.delete(key);
      if (socket !== undefined) idle.set(key, socket);
    });
  };
}

function nameOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
