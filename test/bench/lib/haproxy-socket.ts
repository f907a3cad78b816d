import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One command line on a HAProxy CLI socket; the whole answer. */
export function askHaproxy(socketPath: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const connection = net.connect(socketPath);
    let answer = '';
    connection.on('data', (chunk) => (answer += chunk.toString()));
    connection.on('error', reject);
    connection.on('end', () => {
      connection.destroy();
      resolve(answer);
    });
    connection.end(`${line}\n`);
  });
}

/** Reloads that a master has done, failed ones included. On 2.6 it refuses connections while it executes itself anew. */
export async function reloadsOf(masterSocket: string): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await askHaproxy(masterSocket, 'show proc');
      return Number(/^\d+\s+master\s+(\d+)/m.exec(answer)?.[1]);
    } catch (error) {
      if (attempt === 100) throw error;
      await sleep(100);
    }
  }
}
