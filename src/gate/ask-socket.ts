import { connect } from 'node:net';
import { Observable } from 'rxjs';

/** Sends one line to whoever listens on a Unix socket: emits the one line of the answer, and completes. */
export type AskSocket = (socketPath: string, request: string, maxBytes: number) => Observable<string>;

/**
 * One connection per question, closed after the answer. Errors when nobody listens, when the answer ends before its line does, or
 * is longer than `maxBytes`. Unsubscribing closes the connection.
 */
export const askSocket: AskSocket = (socketPath, request, maxBytes) =>
  new Observable((subscriber) => {
    const socket = connect({ path: socketPath });
    const chunks: Buffer[] = [];
    let size = 0;
    socket.on('connect', () => socket.write(request));
    socket.on('data', (chunk: Buffer) => {
      const end = chunk.indexOf(10);
      chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
      size += chunk.byteLength;
      if (end >= 0) {
        subscriber.next(Buffer.concat(chunks).toString('utf8'));
        subscriber.complete();
      } else if (size > maxBytes) {
        subscriber.error(new Error(`its answer is longer than ${maxBytes} bytes`));
      }
    });
    socket.on('error', (error) => subscriber.error(error));
    socket.on('close', () => subscriber.error(new Error('it closed the connection without an answer')));
    return () => socket.destroy();
  });
