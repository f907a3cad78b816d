import net from 'node:net';
import { CodedError } from '../../lib/coded-error.ts';

/**
 * Sends one line to a HAProxy CLI socket and reads the answer to its end.
 *
 * @throws CodedError `HAPTIC_ERR_SANDBOX_SOCKET` when nobody answers within `timeoutMs`
 */
export function askSocket(path: string, line: string, timeoutMs = 5_000): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) =>
      reject(new CodedError('HAPTIC_ERR_SANDBOX_SOCKET', `no answer from ${path} to "${line}"`, { cause }));
    const connection = net.connect(path);
    let answer = '';
    connection.setTimeout(timeoutMs, () => connection.destroy(new Error('timed out')));
    connection.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    connection.on('error', fail);
    connection.on('end', () => {
      connection.destroy();
      resolve(answer);
    });
    connection.end(`${line}\n`);
  });
}
