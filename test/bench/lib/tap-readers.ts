import net from 'node:net';

/** Connections to a stream of taps. */
export interface TapReaders {
  /** Bytes that were read so far, of all together. */
  readonly bytes: () => number;
  close(): void;
}

/** Opens so many; those that do not read get no more than what the kernel takes in for them. */
export async function openTapReaders(
  url: string,
  count: number,
  kind: 'reading' | 'never reading',
): Promise<TapReaders> {
  const { hostname, port, host, pathname, search } = new URL(url);
  let bytes = 0;
  const sockets = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<net.Socket>((resolve, reject) => {
          const socket = net.connect({ host: hostname, port: Number(port) });
          socket.once('error', reject);
          socket.once('connect', () => {
            socket.on('error', () => socket.destroy());
            if (kind === 'reading') socket.on('data', (data: Buffer) => (bytes += data.length));
            else socket.pause();
            socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, () => resolve(socket));
          });
        }),
    ),
  );
  return {
    bytes: () => bytes,
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
