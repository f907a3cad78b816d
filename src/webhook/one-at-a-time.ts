import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Ends a connection by which a request comes before the one before it was answered. No API server does that, and thousands of such
 * requests fit into what is read in one turn of the event loop.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  const answering = new WeakSet<Socket>();
  return (request, response) => {
    const { socket } = request;
    if (answering.has(socket)) {
      socket.destroy();
      return;
    }
    answering.add(socket);
    response.once('close', () => answering.delete(socket));
    listener(request, response);
  };
}
