import { lastValueFrom, toArray } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { openStream, type OpenStream } from '../../../src/kube/open-stream.ts';
import { json, type Handler } from '../../fixtures/scripted-server.ts';
import { scriptedTransport } from '../../fixtures/scripted-transport.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function openOf(handler: Handler): Promise<OpenStream> {
  const scripted = await scriptedTransport(handler);
  cleanups.push(scripted.close);
  return openStream(scripted.transport);
}

describe('openStream', () => {
  it('says opened, then the text, and completes with the answer; characters are never cut', async () => {
    const bytes = Buffer.from('aé€😀z');
    const open = await openOf((_, response) => {
      response.writeHead(200);
      const send = (at: number): void => {
        if (at === bytes.length) response.end();
        else response.write(bytes.subarray(at, at + 1), () => setImmediate(() => send(at + 1)));
      };
      send(0);
    });
    const items = await lastValueFrom(open({ path: '/' }).pipe(toArray()));
    expect(items[0]).toEqual({ kind: 'opened' });
    const texts = items.slice(1).map((item) => (item.kind === 'text' ? item.text : `not text: ${item.kind}`));
    expect(texts.join('')).toBe('aé€😀z');
    expect(texts.every((text) => text !== '' && !text.includes('\ufffd'))).toBe(true);
  });

  it('gives a refusal as its only item', async () => {
    const open = await openOf((_, response) => json(response, 403, { reason: 'Forbidden', message: 'no' }));
    expect(await lastValueFrom(open({ path: '/' }).pipe(toArray()))).toEqual([
      { kind: 'failed', failure: { kind: 'http', status: 403, reason: 'Forbidden', message: 'no' } },
    ]);
  });

  it('gives a broken connection as its last item', async () => {
    const open = await openOf((_, response) => {
      response.writeHead(200);
      response.write('half', () => setImmediate(() => response.destroy()));
    });
    const items = await lastValueFrom(open({ path: '/' }).pipe(toArray()));
    expect(items).toMatchObject([
      { kind: 'opened' },
      { kind: 'text', text: 'half' },
      { kind: 'failed', failure: { kind: 'network' } },
    ]);
  });

  it('closes the request when unsubscribed, while connecting or while streaming', async () => {
    for (const answers of [false, true]) {
      const asked = Promise.withResolvers<undefined>();
      const closed = Promise.withResolvers<string>();
      const open = await openOf((_, response) => {
        response.on('close', () => closed.resolve('closed'));
        if (answers) response.writeHead(200).write('x');
        else asked.resolve(undefined);
      });
      const subscription = open({ path: '/' }).subscribe({
        next: (item) => {
          if (item.kind === 'text') asked.resolve(undefined);
        },
        error: (error: unknown) => asked.reject(error),
      });
      await asked.promise;
      subscription.unsubscribe();
      expect(await closed.promise).toBe('closed');
    }
  });

  it('hands on a large answer whole, whatever pieces it comes in', async () => {
    const chunk = 'x'.repeat(64 * 1024);
    const open = await openOf((_, response) => {
      response.writeHead(200);
      const send = (left: number): void => {
        if (left === 0) response.end();
        else response.write(chunk, () => send(left - 1));
      };
      send(300);
    });
    let received = 0;
    await new Promise<void>((resolve, reject) => {
      open({ path: '/' }).subscribe({
        next: (item) => {
          if (item.kind === 'text') received += item.text.length;
          if (item.kind === 'failed') reject(new Error('failed'));
        },
        error: reject,
        complete: resolve,
      });
    });
    expect(received).toBe(300 * chunk.length);
  });
});
