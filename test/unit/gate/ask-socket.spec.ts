import { mkdtempSync, rmSync } from 'node:fs';
import { type Server, type Socket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { firstValueFrom } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { askSocket } from '../../../src/gate/ask-socket.ts';
import { eventually } from '../../fixtures/haproxy-process.ts';

let folder = '';
let server: Server | undefined;

/** A socket whose connections are handled by `serve`. */
async function listen(serve: (socket: Socket) => void): Promise<string> {
  folder = mkdtempSync(path.join(tmpdir(), 'haptic-ask-'));
  const socketPath = path.join(folder, 's');
  server = createServer(serve);
  await new Promise<void>((resolve) => server?.listen(socketPath, resolve));
  return socketPath;
}

afterEach(() => {
  server?.close();
  server = undefined;
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

describe('askSocket', () => {
  it('sends the line and gives the line of the answer, however it is cut', async () => {
    const asked: string[] = [];
    const at = await listen((socket) => {
      socket.on('data', (chunk) => {
        asked.push(chunk.toString());
        socket.write('{"a":"');
        setTimeout(() => socket.end('ä"}\nmore'), 5);
      });
    });
    expect(await firstValueFrom(askSocket(at, 'hello\n', 100))).toBe('{"a":"ä"}');
    expect(asked).toEqual(['hello\n']);
  });

  it.each([
    ['ends before its line does', (socket: Socket) => void socket.end('{"a"'), /without an answer/],
    [
      'is longer than allowed',
      (socket: Socket) => void socket.write('x'.repeat(200)),
      /longer than 100 bytes/,
    ],
    ['is cut off', (socket: Socket) => void socket.destroy(), /without an answer|EPIPE|ECONNRESET/],
  ])('errors when the answer %s', async (_what, serve, message) => {
    const at = await listen((socket) => {
      socket.on('error', () => undefined);
      serve(socket);
    });
    await expect(firstValueFrom(askSocket(at, 'x\n', 100))).rejects.toThrow(message);
  });

  it('errors when nobody listens', async () => {
    await expect(firstValueFrom(askSocket('/no/such/socket', 'x\n', 100))).rejects.toThrow('ENOENT');
  });

  it('closes the connection when unsubscribed', async () => {
    let closed = false;
    let opened = false;
    const at = await listen((socket) => {
      opened = true;
      socket.on('close', () => (closed = true)).resume();
    });
    const asking = askSocket(at, 'x\n', 100).subscribe();
    await eventually('it connects', () => (opened ? true : undefined));
    asking.unsubscribe();
    await eventually('it is closed', () => (closed ? true : undefined));
  });
});
