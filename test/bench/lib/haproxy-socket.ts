import net from 'node:net';

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

/** Reloads that a master has done, failed ones included. */
export async function reloadsOf(masterSocket: string): Promise<number> {
  const answer = await askHaproxy(masterSocket, 'show proc');
  return Number(/^\d+\s+master\s+(\d+)/m.exec(answer)?.[1]);
}
