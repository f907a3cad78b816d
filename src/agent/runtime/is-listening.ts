import net from 'node:net';
import { errorCode } from '../../lib/error-code.ts';

/** Whether somebody has this UNIX socket open for connections, be it busy or stuck. */
export function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = net.connect(socket, () => {
      connection.destroy();
      resolve(true);
    });
    connection.on('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(errorCode(error) ?? '')));
  });
}
