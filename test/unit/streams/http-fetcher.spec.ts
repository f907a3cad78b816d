import { firstValueFrom } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpFetch } from '../../../src/streams/http-contents.ts';
import { createHttpFetcher, type HttpFetcher } from '../../../src/streams/http-fetcher.ts';
import { anyPolicy } from '../../fixtures/http-scene.ts';
import { type Handler, scriptedServer } from '../../fixtures/scripted-server.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function scene(handler: Handler): Promise<{
  readonly fetcher: HttpFetcher;
  readonly request: HttpFetch;
  readonly requests: readonly string[];
}> {
  const server = await scriptedServer(handler);
  const fetcher = createHttpFetcher();
  cleanups.push(
    () => server.close(),
    () => fetcher.close(),
  );
  const request = { url: server.url, headers: {}, timeout: 20_000, validators: {}, policy: anyPolicy };
  return { fetcher, request, requests: server.requests };
}

const hello: Handler = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain' }).end('hello');
};

describe('createHttpFetcher', () => {
  it('fetches under what the policy allows', async () => {
    const { fetcher, request } = await scene(hello);
    expect(await firstValueFrom(fetcher.fetch(request))).toMatchObject({ kind: 'fetched', text: 'hello' });
    const small = { ...request, policy: { ...anyPolicy, maxBytes: 2 } };
    expect(await firstValueFrom(fetcher.fetch(small))).toMatchObject({ reason: 'ContentTooBig' });
    const elsewhere = { ...request, policy: { ...anyPolicy, allowedHosts: ['lists.example'] } };
    expect(await firstValueFrom(fetcher.fetch(elsewhere))).toMatchObject({ reason: 'AddressRefused' });
  });

  it('asks no private address unless that is allowed, over no connection that is open already', async () => {
    const { fetcher, request, requests } = await scene(hello);
    await firstValueFrom(fetcher.fetch(request));
    const strict = { ...request, policy: { ...anyPolicy, allowPrivateAddresses: false } };
    expect(await firstValueFrom(fetcher.fetch(strict))).toMatchObject({ reason: 'AddressRefused' });
    expect(requests).toHaveLength(1);
  });

  it('begins with the subscription, and ends the request with it', async () => {
    let isClosed = false;
    const { fetcher, request, requests } = await scene((incoming) => {
      incoming.once('close', () => (isClosed = true));
    });
    const fetch$ = fetcher.fetch(request);
    expect(requests).toHaveLength(0);
    const subscription = fetch$.subscribe({ error: (error: unknown) => expect(error).toBeUndefined() });
    await expect.poll(() => requests.length, { timeout: 10_000 }).toBe(1);
    subscription.unsubscribe();
    await expect.poll(() => isClosed, { timeout: 10_000 }).toBe(true);
  });
});
