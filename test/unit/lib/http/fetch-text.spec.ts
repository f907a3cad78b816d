import type { LookupAddress } from 'node:dns';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { digest } from '../../../../src/lib/digest.ts';
import type { FetchOutcome } from '../../../../src/lib/http/fetch-outcome.ts';
import { fetchText, type FetchTextRequest } from '../../../../src/lib/http/fetch-text.ts';
import { guardedAgent, type GuardedAgentOptions } from '../../../../src/lib/http/guarded-agent.ts';
import { type Handler, scriptedServer, type ScriptedServer } from '../../../fixtures/scripted-server.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(handler: Handler): Promise<ScriptedServer> {
  const server = await scriptedServer(handler);
  cleanups.push(() => server.close());
  return server;
}

function agentWith(options: Partial<GuardedAgentOptions> = {}) {
  const agent = guardedAgent({ allowPrivate: true, ...options });
  cleanups.push(() => agent.destroy());
  return agent;
}

interface Fetch extends Partial<FetchTextRequest> {
  readonly agent?: Partial<GuardedAgentOptions>;
  readonly signal?: AbortSignal;
}

function fetchFrom(url: string, { agent, signal, ...options }: Fetch = {}): Promise<FetchOutcome> {
  const request = { url, headers: {}, validators: {}, maxBytes: 1000, allowedHosts: [], silence: 20_000 };
  return fetchText(agentWith(agent), { ...request, ...options }, signal ?? new AbortController().signal);
}

const text =
  (body: string | Uint8Array, headers: Record<string, string> = {}, status = 200): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'text/plain', ...headers });
    response.end(body);
  };

/** Names that have the given addresses, all others the server's. */
const names =
  (addresses: Readonly<Record<string, readonly string[]>>): NonNullable<GuardedAgentOptions['resolve']> =>
  (host, done) => {
    const found = (addresses[host] ?? []).map((address): LookupAddress => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    done(null, found);
  };

describe('fetchText', () => {
  it('gives the text, its digest and what to ask for the next time', async () => {
    const server = await serve(
      text('a\nß\n', { etag: '"1"', 'last-modified': 'Mon, 30 Nov 2026 03:00:00 GMT' }),
    );
    expect(await fetchFrom(`${server.url}/list`)).toStrictEqual({
      kind: 'fetched',
      text: 'a\nß\n',
      digest: digest('a\nß\n'),
      bytes: 5,
      validators: { etag: '"1"', lastModified: 'Mon, 30 Nov 2026 03:00:00 GMT' },
    });
  });

  it('asks whether anything changed, and hears that nothing did', async () => {
    const seen: unknown[] = [];
    const server = await serve((request, response) => {
      seen.push([request.headers['if-none-match'], request.headers['if-modified-since']]);
      response.writeHead(304).end();
    });
    const validators = { etag: '"1"', lastModified: 'then' };
    expect(await fetchFrom(server.url, { validators })).toStrictEqual({ kind: 'unchanged' });
    expect(seen).toStrictEqual([['"1"', 'then']]);
  });

  it('takes 304 for a failure when it did not ask', async () => {
    const server = await serve((_request, response) => response.writeHead(304).end());
    expect(await fetchFrom(server.url)).toMatchObject({
      kind: 'failed',
      message: 'answered 304',
      again: false,
    });
  });

  it.each([
    [500, true],
    [503, true],
    [404, false],
    [401, false],
    [429, false],
    [204, false],
    [206, false],
  ])('fails at an answer of %i; another attempt makes sense: %s', async (status, again) => {
    const server = await serve((_request, response) => response.writeHead(status).end());
    expect(await fetchFrom(server.url)).toStrictEqual({
      kind: 'failed',
      reason: 'FetchFailed',
      message: `answered ${status}`,
      again,
    });
  });

  it.each([
    [503, '7', 7_000],
    [429, '86400', 3_600_000],
    [429, 'soon', undefined],
    [404, '7', undefined],
  ])('hears at an answer of %i, Retry-After %s, when to come back', async (status, after, retryAfter) => {
    const server = await serve((_request, response) =>
      response.writeHead(status, { 'retry-after': after }).end(),
    );
    const outcome = await fetchFrom(server.url);
    expect(outcome.kind === 'failed' && outcome.retryAfter).toBe(retryAfter);
  });

  it.each([
    ['with letters that no request can carry', '"\u4e16"', undefined],
    ['longer than servers take', `"${'x'.repeat(2000)}"`, undefined],
    ['weak', 'W/"1"', 'W/"1"'],
  ])('asks for changes the next time unless the mark is of no use: %s', async (_what, etag, kept) => {
    const seen: unknown[] = [];
    const server = await serve((request, response) => {
      seen.push(request.headers['if-none-match']);
      response.socket?.end(
        `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1\r\nETag: ${etag}\r\nConnection: close\r\n\r\nx`,
      );
    });
    for (let validators = {}, round = 0; round < 2; round++) {
      const outcome = await fetchFrom(server.url, { validators });
      expect(outcome).toMatchObject({ kind: 'fetched', text: 'x' });
      if (outcome.kind === 'fetched') validators = outcome.validators;
    }
    expect(seen).toStrictEqual([undefined, kept]);
  });

  it('cuts a body of 200 MB off at the limit', async () => {
    let sent = 0;
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const more = (): void => {
        while (sent < 200e6 && !response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) {
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    });
    expect(await fetchFrom(server.url, { maxBytes: 1e6 })).toStrictEqual({
      kind: 'failed',
      reason: 'ContentTooBig',
      message: 'the answer is longer than 1000000 bytes',
      again: false,
    });
    expect(sent).toBeLessThan(50e6);
  });

  it('reads nothing of a body that announces to be too big, and takes one of just the size', async () => {
    const server = await serve(text('x'.repeat(1001)));
    expect(await fetchFrom(server.url)).toMatchObject({ reason: 'ContentTooBig' });
    expect(await fetchFrom(server.url, { maxBytes: 1001 })).toMatchObject({ kind: 'fetched', bytes: 1001 });
  });

  it.each([
    ['a page', '<html><body>Sign in</body></html>', { 'content-type': 'text/html; charset=utf-8' }],
    ['a page that calls itself text', ' \n<!-- x --><!DOCTYPE html><html>', {}],
    ['latin-1', 'x', { 'content-type': 'text/plain; charset=iso-8859-1' }],
    ['no UTF-8', Buffer.from([0x61, 0xff, 0xfe]), {}],
    ['half a character', Buffer.from([0x61, 0xc3]), {}],
    ['gzip unasked', gzipSync('x'), { 'content-encoding': 'gzip' }],
    ['brotli unasked', brotliCompressSync('x'), { 'content-encoding': 'br' }],
  ])('refuses %s', async (_what, body, headers) => {
    const server = await serve(text(body, headers));
    expect(await fetchFrom(server.url)).toMatchObject({
      kind: 'failed',
      reason: 'ContentUnexpected',
      again: false,
    });
  });

  it.each([
    ['text/plain', 'text/plain', 'x', 'fetched'],
    ['text/plain', 'application/json', 'x', 'failed'],
    ['text/plain', 'text/plain', '<html>', 'failed'],
    ['text/*', 'text/csv', 'x', 'fetched'],
    ['text/*', 'application/json', 'x', 'failed'],
    ['text/html', 'text/html; charset="UTF-8"', '<html>', 'fetched'],
    ['text/html', 'text/plain', '<html>', 'failed'],
    ['*', 'text/html', '<html>', 'fetched'],
    [undefined, 'application/octet-stream', 'x', 'fetched'],
    [undefined, 'application/xhtml+xml', 'x', 'failed'],
    [undefined, '', 'x', 'fetched'],
  ])(
    'with contentType=%s, an answer of the type %s that is %j is %s',
    async (contentType, type, body, kind) => {
      const server = await serve((_request, response) => {
        if (type !== '') response.setHeader('content-type', type);
        response.end(body);
      });
      expect(await fetchFrom(server.url, contentType === undefined ? {} : { contentType })).toMatchObject({
        kind,
      });
    },
  );

  it('takes off a byte order mark', async () => {
    const server = await serve(text('\ufeffa'));
    expect(await fetchFrom(server.url)).toMatchObject({ text: 'a' });
  });

  it('sends the credentials', async () => {
    const seen: unknown[] = [];
    const server = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end('x');
    });
    await fetchFrom(server.url, { headers: { authorization: 'Bearer s3cret' } });
    expect(seen).toStrictEqual(['Bearer s3cret']);
  });

  it('fails where nobody listens, and where the answer breaks off', async () => {
    const server = await scriptedServer(() => undefined);
    await server.close();
    expect(await fetchFrom(server.url)).toMatchObject({ reason: 'FetchFailed', again: true });
    const broken = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('x');
      setImmediate(() => response.destroy());
    });
    expect(await fetchFrom(broken.url)).toMatchObject({ reason: 'FetchFailed', again: true });
  });

  it('fails where the server is silent', async () => {
    const server = await serve(() => undefined);
    expect(await fetchFrom(server.url, { silence: 50 })).toMatchObject({
      reason: 'FetchFailed',
      again: true,
    });
  });

  it('ends when it is told to', async () => {
    let isClosed = false;
    const server = await serve((request) => request.once('close', () => (isClosed = true)));
    const controller = new AbortController();
    const outcome = fetchFrom(server.url, { signal: controller.signal });
    await expect.poll(() => server.requests.length, { timeout: 10_000 }).toBe(1);
    controller.abort();
    expect(await outcome).toMatchObject({ kind: 'failed' });
    await expect.poll(() => isClosed, { timeout: 10_000 }).toBe(true);
  });
});

describe('redirects', () => {
  const redirect =
    (location: string | undefined, status = 302): Handler =>
    (_request, response) =>
      response.writeHead(status, location === undefined ? {} : { location }).end('moved');

  it.each([301, 302, 303, 307, 308])('follows an answer of %i', async (status) => {
    const server = await serve((request, response) =>
      request.url === '/new' ? text('there')(request, response) : redirect('/new', status)(request, response),
    );
    expect(await fetchFrom(`${server.url}/old`)).toMatchObject({ kind: 'fetched', text: 'there' });
    expect(server.requests).toStrictEqual(['GET /old', 'GET /new']);
  });

  it('gives up in a circle', async () => {
    const server = await serve(redirect('/'));
    expect(await fetchFrom(server.url)).toMatchObject({ kind: 'failed', message: 'more than 10 redirects' });
    expect(server.requests).toHaveLength(11);
  });

  it('sends the credentials to nobody else', async () => {
    const seen: unknown[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end('x');
    });
    const server = await serve(redirect(`${other.url}/x`));
    expect(await fetchFrom(server.url, { headers: { authorization: 'Bearer s3cret' } })).toMatchObject({
      kind: 'fetched',
    });
    expect(seen).toStrictEqual([undefined]);
  });

  it.each([
    ['file:///etc/passwd', 'a redirect leads to file:'],
    ['ftp://a.example/', 'a redirect leads to ftp:'],
    ['http://me:hunter2@127.0.0.1/', 'a redirect carries credentials in its URL'],
  ])('does not follow to %s', async (location, message) => {
    const server = await serve(redirect(location));
    const outcome = await fetchFrom(server.url);
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'AddressRefused', message });
    expect(JSON.stringify(outcome)).not.toContain('hunter2');
  });

  it.each([undefined, 'http://[', ''])('fails at the location %j', async (location) => {
    const server = await serve(redirect(location));
    const outcome = await fetchFrom(server.url);
    expect(outcome.kind).toBe('failed');
  });

  it('sends no credentials to a place to which somebody else leads back', async () => {
    const seen: unknown[] = [];
    let first = '';
    const other = await serve((request, response) => redirect(`${first}/chosen`)(request, response));
    const server = await serve((request, response) => {
      seen.push([request.url, request.headers.authorization]);
      if (request.url === '/chosen') response.end('x');
      else redirect(other.url)(request, response);
    });
    first = server.url;
    await fetchFrom(`${server.url}/list`, { headers: { authorization: 'Bearer s3cret' } });
    expect(seen).toStrictEqual([
      ['/list', 'Bearer s3cret'],
      ['/chosen', undefined],
    ]);
  });

  it('asks for changes only where the text came from', async () => {
    const seen: unknown[] = [];
    let target = '/one';
    const server = await serve((request, response) => {
      seen.push([request.url, request.headers['if-none-match']]);
      if (request.url === '/list') redirect(target)(request, response);
      else if (request.headers['if-none-match'] === '"1"') response.writeHead(304).end();
      else text(request.url ?? '', { etag: '"1"' })(request, response);
    });
    const first = await fetchFrom(`${server.url}/list`);
    const validators = first.kind === 'fetched' ? first.validators : {};
    expect(await fetchFrom(`${server.url}/list`, { validators })).toStrictEqual({ kind: 'unchanged' });
    // Marks of another text may be the same.
    target = '/two';
    expect(await fetchFrom(`${server.url}/list`, { validators })).toMatchObject({ text: '/two' });
    expect(seen).toStrictEqual([
      ['/list', undefined],
      ['/one', undefined],
      ['/list', undefined],
      ['/one', '"1"'],
      ['/list', undefined],
      ['/two', undefined],
    ]);
  });

  it('does not follow to a host that may not be asked', async () => {
    const other = await serve(text('x'));
    const server = await serve(redirect(other.url.replace('127.0.0.1', 'elsewhere.example')));
    expect(await fetchFrom(server.url, { allowedHosts: ['127.0.0.1'] })).toMatchObject({
      reason: 'AddressRefused',
      message: 'the host elsewhere.example is not among those that may be asked',
    });
    expect(other.requests).toStrictEqual([]);
  });
});

describe('refused addresses', () => {
  it.each([
    '127.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0x7f.1',
    '2130706433',
    '10.0.0.1',
    '169.254.169.254',
  ])('asks nobody at %s', async (host) => {
    const server = await serve(text('x'));
    const { port } = new URL(server.url);
    expect(await fetchFrom(`http://${host}:${port}/`, { agent: { allowPrivate: false } })).toMatchObject({
      kind: 'failed',
      reason: 'AddressRefused',
      again: false,
    });
    expect(server.connections()).toBe(0);
  });

  it('asks nobody at a name that has such an address', async () => {
    const server = await serve(text('x'));
    const { port } = new URL(server.url);
    const resolve = names({ 'rebind.example': ['127.0.0.1', '::ffff:7f00:1', 'fe80::1'] });
    const outcome = await fetchFrom(`http://rebind.example:${port}/`, {
      agent: { allowPrivate: false, resolve },
    });
    expect(outcome).toMatchObject({ reason: 'AddressRefused' });
    expect(JSON.stringify(outcome)).toContain('a loopback address');
    expect(server.connections()).toBe(0);
  });

  it('asks nobody at the localhost of the system', async () => {
    const server = await serve(text('x'));
    const { port } = new URL(server.url);
    expect(await fetchFrom(`http://localhost:${port}/`, { agent: { allowPrivate: false } })).toMatchObject({
      reason: 'AddressRefused',
    });
    expect(server.connections()).toBe(0);
  });

  it('takes the usable one of several addresses', async () => {
    const server = await serve(text('x'));
    const { port } = new URL(server.url);
    const resolve = names({ 'both.example': ['169.254.169.254', '127.0.0.1'] });
    expect(await fetchFrom(`http://both.example:${port}/`, { agent: { resolve } })).toMatchObject({
      text: 'x',
    });
  });

  it('asks a name again for each connection, and so follows where it goes', async () => {
    const server = await serve((request, response) => {
      response.setHeader('connection', 'close');
      text('x')(request, response);
    });
    const { port } = new URL(server.url);
    const addresses = [['127.0.0.1'], ['169.254.169.254']];
    let asked = 0;
    const agent = agentWith({
      resolve: (host, done) => names({ [host]: addresses[asked++] ?? [] })(host, done),
    });
    const request = { url: `http://moving.example:${port}/`, headers: {}, validators: {} };
    const limits = { maxBytes: 1000, allowedHosts: [], silence: 20_000 };
    const { signal } = new AbortController();
    expect(await fetchText(agent, { ...request, ...limits }, signal)).toMatchObject({ text: 'x' });
    expect(await fetchText(agent, { ...request, ...limits }, signal)).toMatchObject({
      reason: 'AddressRefused',
    });
    expect(asked).toBe(2);
  });

  it('refuses a redirect to such an address at its connection', async () => {
    const server = await serve((_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
    );
    expect(await fetchFrom(server.url)).toMatchObject({
      reason: 'AddressRefused',
      message: 'nobody is asked there: 169.254.169.254, a metadata address',
    });
  });

  it('says so where a name has no address', async () => {
    expect(await fetchFrom('http://nothing.example/', { agent: { resolve: names({}) } })).toMatchObject({
      reason: 'AddressRefused',
      message: 'nobody is asked there: nothing.example has no address',
    });
    const failing: NonNullable<GuardedAgentOptions['resolve']> = (_host, done) =>
      done(Object.assign(new Error('getaddrinfo ENOTFOUND nothing.example'), { code: 'ENOTFOUND' }), []);
    expect(await fetchFrom('http://nothing.example/', { agent: { resolve: failing } })).toMatchObject({
      reason: 'FetchFailed',
      message: 'the host has no address (ENOTFOUND)',
      again: true,
    });
  });
});
