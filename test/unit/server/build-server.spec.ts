import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { Registry, Counter } from 'prom-client';
import { BehaviorSubject, NEVER, type Observable, Subject, merge, of } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import type { FastifyInstance } from 'fastify';
import type { RecordingEntry } from '../../../src/sinks/recording.ts';
import { createTaps } from '../../../src/operators/taps.ts';
import { buildMetricsServer } from '../../../src/server/build-metrics-server.ts';
import { buildServer } from '../../../src/server/build-server.ts';
import { rawRequest } from '../../fixtures/raw-http.ts';
import type { AccessQuestion, AskForAccess, TokenVerdict } from '../../../src/server/debug-access.ts';

const logger = pino({ level: 'silent' });
const servers: FastifyInstance[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => server.close()));
});

function server(
  options: {
    notReady?: string;
    heartbeat?: number;
    plan?: () => Promise<Uint8Array | undefined>;
    ask?: AskForAccess;
    record?: () => Observable<RecordingEntry>;
    dropped?: (count: number) => void;
  } = {},
) {
  const taps = createTaps();
  const app = buildServer({
    logger,
    health: {
      live: [{ name: 'pipeline', failure: () => undefined }],
      ready: [
        { name: 'stores', failure: () => options.notReady },
        { name: 'render', failure: () => undefined },
      ],
    },
    debug: {
      taps,
      graph: () => 'flowchart LR',
      plan: options.plan ?? (() => Promise.resolve(undefined)),
      vars: {
        load: () => ({ last: 'refused', password: 'hush' }),
        empty: () => undefined,
      },
      events: {
        last: (limit, correlationId) => [
          { seq: 1, at: 'now', type: 'x', limit, ...(correlationId !== undefined && { correlationId }) },
        ],
      },
      ...(options.ask && { ask: options.ask }),
      ...(options.record && { record: options.record }),
      ...(options.dropped && { readers: { changed: () => undefined, dropped: options.dropped } }),
      heartbeat: options.heartbeat ?? 60_000,
    },
  });
  servers.push(app);
  return { app, taps };
}

describe('a request with a body', () => {
  it.each(['POST /nothing', 'POST /livez', 'PUT /debug/vars/all', 'POST /debug/taps', 'OPTIONS /readyz'])(
    'is answered without it: %s',
    async (line) => {
      const { app } = server();
      await app.listen({ host: '127.0.0.1', port: 0 });
      const { port } = app.server.address() as AddressInfo;
      const [method = '', target = ''] = line.split(' ');
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
        // Not a byte of it is sent.
        const headers = [`Content-Type: ${type}`, 'Content-Length: 1048576'];
        expect(await rawRequest({ host: '127.0.0.1', port }, { method, target, headers })).toMatchObject({
          status: 404,
        });
      }
    },
  );

  it('keeps no connection of a stranger open, however it is answered', async () => {
    const { app } = server();
    const elsewhere = { remoteAddress: '10.1.2.3' };
    for (const url of ['/livez', '/readyz', '/debug/taps', '/debug', '/nothing'])
      expect([url, (await app.inject({ url, ...elsewhere })).headers.connection]).toStrictEqual([
        url,
        'close',
      ]);
    expect((await app.inject('/debug/taps')).headers.connection).toBe('keep-alive');
  });

  it('has to come within half a minute', () => {
    const { headersTimeout, requestTimeout } = server().app.server;
    expect([headersTimeout, requestTimeout]).toEqual([10_000, 30_000]);
  });
});

describe('health', () => {
  it('answers ok while all checks pass', async () => {
    const { app } = server();
    for (const path of ['/livez', '/readyz', '/healthz']) {
      const answer = await app.inject(path);
      expect([path, answer.statusCode, answer.body]).toEqual([path, 200, 'ok\n']);
    }
  });

  it('names the failed check, and all checks when asked to be verbose', async () => {
    const { app } = server({ notReady: 'waiting for ingresses' });
    const short = await app.inject('/readyz');
    expect(short.statusCode).toBe(503);
    expect(short.body).toBe('[-]stores failed: waiting for ingresses\nreadyz check failed\n');
    const verbose = await app.inject('/readyz?verbose');
    expect(verbose.body).toBe('[-]stores failed: waiting for ingresses\n[+]render ok\nreadyz check failed\n');
    expect((await app.inject('/livez')).statusCode).toBe(200);
  });
});

describe('debug', () => {
  it('lists and shows values, without secrets', async () => {
    const { app } = server();
    const get = async (path: string) => (await app.inject(path)).json<unknown>();
    expect(await get('/debug/vars')).toEqual({ vars: ['load', 'empty'] });
    expect(await get('/debug/vars/load')).toEqual({ last: 'refused', password: '[redacted]' });
    expect(await get('/debug/vars/empty')).toBeNull();
    expect(await get('/debug/vars/load?field={.last}')).toBe('refused');
    expect(await get('/debug/vars/load?field=password')).toBe('[redacted]');
    expect(await get('/debug/vars/all?field=load.last')).toBe('refused');
    expect((await app.inject('/debug/vars/load?field=..x')).statusCode).toBe(400);
    expect(await get('/debug/vars/all')).toEqual({
      load: { last: 'refused', password: '[redacted]' },
      empty: null,
    });
  });

  it('says which values there are when asked for another', async () => {
    const { app } = server();
    const answer = await app.inject('/debug/vars/constructor');
    expect(answer.statusCode).toBe(404);
    expect(answer.json<unknown>()).toEqual({
      error: 'no variable named constructor; there are: load, empty, all',
    });
  });

  it('gives out the plan that was let out last, or says that there is none', async () => {
    const given = await server({ plan: () => Promise.resolve(new Uint8Array([1, 2])) }).app.inject(
      '/debug/plan',
    );
    expect([given.statusCode, [...given.rawPayload]]).toStrictEqual([200, [1, 2]]);
    const none = await server().app.inject('/debug/plan');
    expect([none.statusCode, none.json()]).toStrictEqual([404, { error: 'no render was let out yet' }]);
  });

  it('lists taps and draws the graph', async () => {
    const { app, taps } = server();
    taps.point('bundle', (value) => value);
    expect((await app.inject('/debug/taps')).json()).toEqual({ taps: ['bundle'] });
    expect((await app.inject('/debug/graph')).body).toBe('flowchart LR');
  });

  it('refuses requests that name another host or come from elsewhere', async () => {
    const { app } = server();
    const rebinding = await app.inject({ url: '/debug/taps', headers: { host: 'evil.example:8080' } });
    expect(rebinding.statusCode).toBe(403);
    const remote = await app.inject({ url: '/debug/taps', remoteAddress: '10.1.2.3' });
    expect(remote.statusCode).toBe(403);
    expect((await app.inject({ url: '/livez', remoteAddress: '10.1.2.3' })).statusCode).toBe(200);
  });

  describe('to a page of somebody else in a local browser', () => {
    const from = (headers: Record<string, string>, url = '/debug/profile?seconds=1') =>
      server()
        .app.inject({ url, headers: { host: 'localhost:8080', ...headers } })
        .then(({ statusCode }) => statusCode);

    it.each(['cross-site', 'same-site'])('says nothing and does nothing: %s', async (site) => {
      const fetched = { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
      for (const url of ['/debug/profile?seconds=1', '/debug/recording', '/debug/taps', '/debug'])
        expect([url, await from(fetched, url)]).toStrictEqual([url, 403]);
      const opened = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
      expect(await from(opened)).toBe(403);
      expect(await from({ ...opened, 'sec-fetch-dest': 'iframe' }, '/debug')).toBe(403);
    });

    it('says nothing and does nothing where the browser is too old to say more than the origin', async () => {
      for (const origin of ['http://evil.example', 'null', 'https://localhost:8080', 'http://localhost:3000'])
        expect([origin, await from({ origin })]).toStrictEqual([origin, 403]);
    });

    it('opens the page where a link leads to it, and serves that page', async () => {
      const opened = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
      for (const site of ['cross-site', 'none'])
        expect(await from({ ...opened, 'sec-fetch-site': site }, '/debug')).toBe(200);
      const own = { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:8080' };
      expect(await from(own, '/debug/taps')).toBe(200);
    });
  });

  it('lets no browser take an answer for anything else than it is, keep it, or show it elsewhere', async () => {
    const { app, taps } = server({ record: () => NEVER });
    new BehaviorSubject(1).pipe(taps.point('x', (value) => value)).subscribe();
    const paths = [
      'taps',
      'taps/x?limit=1',
      'taps/no',
      'stream?tap=x&limit=1',
      'vars/all',
      'vars/no',
      'graph',
    ];
    paths.push('plan', 'events', 'objects', 'explain', 'recording?for=1', '', 'page/main.js');
    for (const path of paths) {
      const { headers } = await app.inject(`/debug/${path}`);
      expect([path, headers]).toStrictEqual([
        path,
        expect.objectContaining({
          'x-content-type-options': 'nosniff',
          'cross-origin-resource-policy': 'same-origin',
          'content-security-policy': expect.stringContaining("default-src 'none'") as unknown,
          'cache-control': expect.stringMatching(/^no-(store|cache)$/) as unknown,
        }),
      ]);
    }
  });

  describe('from elsewhere', () => {
    const elsewhere = { remoteAddress: '10.1.2.3' };
    const asked = (verdict: TokenVerdict) => {
      const questions: AccessQuestion[] = [];
      const ask: AskForAccess = (question) => {
        questions.push(question);
        return Promise.resolve(verdict);
      };
      const { app } = server({ ask });
      const get = (url: string, authorization?: string) =>
        app.inject({ url, ...elsewhere, headers: authorization === undefined ? {} : { authorization } });
      return { questions, get };
    };

    it('lets a bearer in who may, and asks once a minute at most for the same page', async () => {
      const { questions, get } = asked({ kind: 'allowed' });
      expect((await get('/debug/taps?x=1', 'Bearer good')).statusCode).toBe(200);
      expect((await get('/debug/taps', 'bearer good')).statusCode).toBe(200);
      expect((await get('/debug/vars', 'Bearer good')).statusCode).toBe(200);
      expect((await get('/debug/vars', 'Bearer other')).statusCode).toBe(200);
      expect(questions).toStrictEqual([
        { token: 'good', path: '/debug/taps', verb: 'get' },
        { token: 'good', path: '/debug/vars', verb: 'get' },
        { token: 'other', path: '/debug/vars', verb: 'get' },
      ]);
    });

    it.each<[string, TokenVerdict, number, string]>([
      ['is nobody', { kind: 'unauthenticated' }, 401, 'the token is not valid'],
      [
        'may not',
        { kind: 'forbidden', user: 'system:serviceaccount:a:b', reason: '' },
        403,
        'system:serviceaccount:a:b may not get /debug/taps',
      ],
      [
        'cannot be asked about',
        { kind: 'unknown', reason: 'ECONNREFUSED' },
        503,
        'the token could not be checked: ECONNREFUSED',
      ],
    ])('keeps a bearer out who %s', async (_who, verdict, status, error) => {
      const answer = await asked(verdict).get('/debug/taps', 'Bearer bad');
      expect([answer.statusCode, answer.json()]).toStrictEqual([status, { error }]);
      expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
    });

    it('asks nobody without a token, with one that is none, or with one that is too long', async () => {
      const { questions, get } = asked({ kind: 'allowed' });
      const answers = await Promise.all([
        get('/debug/taps'),
        get('/debug/taps', 'Basic YTpi'),
        get('/debug/taps', `Bearer ${'x'.repeat(16_385)}`),
      ]);
      expect(answers.map(({ statusCode }) => statusCode)).toStrictEqual([401, 401, 401]);
      expect(questions).toStrictEqual([]);
    });

    it('asks about ten tokens a second in the long run, whoever sends more of them', async () => {
      const { questions, get } = asked({ kind: 'unauthenticated' });
      const answers = await Promise.all(
        Array.from({ length: 80 }, (_, n) => get('/debug/taps', `Bearer ${n}`)),
      );
      expect(questions.length).toBeGreaterThanOrEqual(50);
      expect(questions.length).toBeLessThan(70);
      const busy = answers.filter(({ statusCode }) => statusCode === 503);
      expect(busy).toHaveLength(80 - questions.length);
      expect(busy[0]?.headers['retry-after']).toBe('1');
      expect(busy[0]?.json()).toStrictEqual({ error: 'too many tokens are being checked' });
      // One that is known is no question.
      expect((await get('/debug/taps', 'Bearer 0')).statusCode).toBe(401);
    });

    it('asks again at once about what could not be answered', async () => {
      const { questions, get } = asked({ kind: 'unknown', reason: 'x' });
      await get('/debug/taps', 'Bearer a');
      await get('/debug/taps', 'Bearer a');
      expect(questions).toHaveLength(2);
    });
  });

  it('answers 404 with the known names for an unknown tap, 400 for a bad limit', async () => {
    const { app, taps } = server();
    of(1)
      .pipe(taps.point('bundle', (value) => value))
      .subscribe();
    const missing = await app.inject('/debug/taps/nope');
    expect([missing.statusCode, missing.json()]).toEqual([
      404,
      { error: 'no tap named nope; there are: bundle' },
    ]);
    expect((await app.inject('/debug/taps/bundle?limit=0')).statusCode).toBe(400);
  });

  it('streams the current value first, redacted, and ends at the limit', async () => {
    const { app, taps } = server();
    const values = new BehaviorSubject<unknown>({ kind: 'Secret', data: { a: 'eA==' } });
    let isRead = false;
    const describe = (value: unknown) => {
      // The current value is shown as soon as somebody reads: the next one can come then.
      if (!isRead) setImmediate(() => values.next({ n: 2 }));
      isRead = true;
      return value;
    };
    values.pipe(taps.point('objects', describe)).subscribe();
    const { headers, body } = await app.inject('/debug/taps/objects?limit=2');
    expect(headers['content-type']).toBe('application/x-ndjson');
    expect(
      body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([{ kind: 'Secret', data: { a: '[redacted]' } }, { n: 2 }]);
  });

  it('streams server-sent events to who asks for them', async () => {
    const { app, taps } = server({ heartbeat: 20 });
    new BehaviorSubject<unknown>({ n: 1 }).pipe(taps.point('x', (value) => value)).subscribe();
    const { headers, body } = await app.inject({
      url: '/debug/taps/x?for=1',
      headers: { accept: 'text/event-stream' },
    });
    expect(headers['content-type']).toBe('text/event-stream');
    expect(body.split('\n\n').slice(0, 2)).toStrictEqual(['data: {"n":1}', ': heartbeat']);
  });

  it('shows only the fields that are asked for', async () => {
    const { app, taps } = server();
    const value = { pod: { key: 'a' }, reasons: ['x', 'y'], token: 'hush' };
    new BehaviorSubject<unknown>(value).pipe(taps.point('x', (same) => same)).subscribe();
    const line = async (query: string) => (await app.inject(`/debug/taps/x?limit=1&${query}`)).body.trim();
    expect(await line('field=pod.key')).toBe('"a"');
    expect(await line('field={.reasons[*]}&field=pod')).toBe('{"{.reasons[*]}":["x","y"],"pod":{"key":"a"}}');
    expect(await line('field=token')).toBe('"[redacted]"');
    expect(await line('field=nope')).toBe('null');
    const bad = await app.inject('/debug/taps/x?limit=1&field=a[?(@.b)]');
    expect([bad.statusCode, bad.json<{ error: string }>().error]).toStrictEqual([
      400,
      expect.stringContaining('a[?(@.b)]'),
    ]);
  });

  it('samples: the current value at once, then the newest one of each period', async () => {
    const { app, taps } = server();
    const values = new BehaviorSubject(0);
    values.pipe(taps.point('x', (n) => ({ n }))).subscribe();
    const answer = app.inject('/debug/taps/x?sample=100&limit=2');
    for (let n = 1; n <= 50; n++) {
      await new Promise((resolve) => setImmediate(resolve));
      values.next(n);
    }
    const lines = (await answer).body.trim().split('\n');
    expect(lines[0]).toMatch(/^\{"n":\d+\}$/);
    expect(lines[1]).toBe('{"n":50}');
  });

  it('streams several taps over one connection, each value with its tap, number and time', async () => {
    const { app, taps } = server();
    new BehaviorSubject('a').pipe(taps.point('x', (value) => value)).subscribe();
    of(1, 2)
      .pipe(taps.point('y', (value) => value))
      .subscribe();
    const { body } = await app.inject('/debug/stream?tap=x&tap=y&tap=x&limit=2');
    const lines = body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toStrictEqual([
      { tap: 'x', seq: 1, at: expect.any(Number) as number, value: 'a' },
      { tap: 'y', seq: 2, at: expect.any(Number) as number, value: 2 },
    ]);
    expect((await app.inject('/debug/stream')).statusCode).toBe(400);
    expect((await app.inject('/debug/stream?tap=nope')).json()).toEqual({
      error: 'no tap named nope; there are: x, y',
    });
  });

  it('takes a CPU profile and a heap profile, one at a time', async () => {
    const { app } = server();
    const [cpu, busy] = await Promise.all([
      app.inject('/debug/profile?seconds=1'),
      new Promise((resolve) => setTimeout(resolve, 200)).then(() => app.inject('/debug/heap?seconds=1')),
    ]);
    expect(cpu.json()).toMatchObject({
      nodes: expect.any(Array) as unknown,
      samples: expect.any(Array) as unknown,
    });
    expect(cpu.headers['content-disposition']).toContain('.cpuprofile');
    expect(busy.statusCode).toBe(409);
    const heap = await app.inject('/debug/heap?seconds=1');
    expect(heap.json()).toMatchObject({ head: { callFrame: expect.any(Object) as unknown } });
    expect((await app.inject('/debug/profile?seconds=301')).statusCode).toBe(400);
  });

  it('records until the time is over, and says that nothing is missing', async () => {
    const entry: RecordingEntry = { at: 7, kind: 'synced' };
    const { app } = server({ record: () => merge(of(entry), NEVER) });
    const { headers, body } = await app.inject('/debug/recording?for=1');
    expect(headers['content-type']).toBe('application/x-ndjson');
    expect(body).toBe('{"at":7,"kind":"synced"}\n{"at":7,"kind":"end","reason":"as asked"}\n');
    expect((await server().app.inject('/debug/recording')).statusCode).toBe(404);
  });

  it('makes two recordings at a time, and ends one whose reader takes nothing', async () => {
    const entries = new Subject<RecordingEntry>();
    const { app } = server({ record: () => entries });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const open = () =>
      new Promise<IncomingMessage>((resolve) => {
        request({ host: '127.0.0.1', port, path: '/debug/recording' }, resolve).end();
      });
    const [first] = await Promise.all([open(), open()]);
    expect((await app.inject('/debug/recording')).statusCode).toBe(503);
    const big = 'x'.repeat(4 * 1024 * 1024);
    for (let i = 0; i < 40 && entries.observed; i++) entries.next({ at: i, kind: 'rejected', message: big });
    expect(entries.observed).toBe(false);
    let end = '';
    let count = 0;
    for await (const chunk of first) {
      const text = String(chunk);
      count += text.split('\n').length - 1;
      end = (end + text).slice(-200);
    }
    expect(end).toContain('"kind":"end","reason":"the reader was too slow"');
    expect(count).toBeGreaterThan(16);
    expect((await app.inject('/debug/recording?for=1')).statusCode).toBe(200);
  });

  it('tells what happened last', async () => {
    const { app } = server();
    expect((await app.inject('/debug/events?limit=7&correlation_id=a-1')).json()).toStrictEqual({
      events: [{ seq: 1, at: 'now', type: 'x', limit: 7, correlationId: 'a-1' }],
    });
    expect((await app.inject('/debug/events?limit=1001')).statusCode).toBe(400);
  });

  it('sends heartbeats while nothing happens, and ends after the asked time', async () => {
    const { app, taps } = server({ heartbeat: 20 });
    new Subject<unknown>().pipe(taps.point('quiet', (value) => value)).subscribe();
    const { body } = await app.inject('/debug/taps/quiet?for=1');
    expect(body.split('\n').filter((line) => line === '{"heartbeat":true}').length).toBeGreaterThan(1);
  });

  it('drops values for a reader that does not keep up and tells it how many', async () => {
    const { app, taps } = server();
    const values = new Subject<unknown>();
    values.pipe(taps.point('busy', (value) => value)).subscribe();
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const lines: string[] = [];
    const sent = 400;
    await new Promise<void>((resolve, reject) => {
      request({ host: '127.0.0.1', port, path: '/debug/taps/busy' }, (response) => {
        const big = 'x'.repeat(200_000);
        // Not read yet: kernel buffers fill up and write() answers false.
        for (let i = 0; i < sent; i++) values.next({ i, big });
        let rest = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          rest += chunk;
          const complete = rest.split('\n');
          rest = complete.pop() ?? '';
          lines.push(...complete);
          // The newest value is never lost: it follows the word about the others.
          if (lines.some((line) => line.startsWith(`{"i":${sent - 1},`))) {
            response.destroy();
            resolve();
          }
        });
      })
        .on('error', reject)
        .end();
    });
    const delivered = lines.filter((line) => line.startsWith('{"i"')).length;
    const { dropped } = JSON.parse(lines.find((line) => line.startsWith('{"dropped"')) ?? '{}') as {
      dropped: number;
    };
    expect(delivered + dropped).toBe(sent);
    expect(dropped).toBeGreaterThan(0);
  });

  it('ends at the limit, though several taps have current values', async () => {
    const { app, taps } = server();
    for (const name of ['x', 'y', 'z'])
      new BehaviorSubject(name).pipe(taps.point(name, (value) => value)).subscribe();
    const { body } = await app.inject('/debug/stream?tap=x&tap=y&tap=z&limit=2');
    expect(body.trim().split('\n')).toHaveLength(2);
  });

  it('does nothing for readers that never read but count what they lose', async () => {
    let dropped = 0;
    const { app, taps } = server({ heartbeat: 20, dropped: (count) => (dropped += count) });
    const values = new Subject<unknown>();
    let described = 0;
    const describeValue = (value: unknown) => {
      described++;
      return value;
    };
    values.pipe(taps.point('busy', describeValue)).subscribe();
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const readers = await Promise.all(
      Array.from(
        { length: 3 },
        () =>
          new Promise<IncomingMessage>((resolve, reject) => {
            const reader = request({ host: '127.0.0.1', port, path: '/debug/taps/busy' }, resolve);
            reader.on('error', reject).end();
          }),
      ),
    );
    const big = 'x'.repeat(1_000_000);
    let sent = 0;
    const send = () => values.next({ i: sent++, big });
    // Until the kernel takes in nothing more for any of them.
    for (let still = 0; still < 20;) {
      const before = described;
      send();
      await new Promise((resolve) => setTimeout(resolve, 5));
      still = described === before ? still + 1 : 0;
    }
    const describedBefore = described;
    for (let i = 0; i < 1_000; i++) send();
    expect(described).toBe(describedBefore);
    // Nobody has drained or gone, and each has the newest one still to come.
    await expect.poll(() => dropped).toBeGreaterThanOrEqual(3 * 1_000);
    expect(dropped).toBeLessThan(3 * sent);
    const before = dropped;
    for (let i = 0; i < 100; i++) send();
    await expect.poll(() => dropped).toBe(before + 300);
    for (const reader of readers) reader.destroy();
    await expect.poll(() => dropped).toBe(before + 300);
  });

  it('lets go of the tap when the reader goes away', async () => {
    const { app, taps } = server();
    const values = new BehaviorSubject<unknown>(1);
    values.pipe(taps.point('x', (value) => value)).subscribe();
    let described = 0;
    values.pipe(taps.point('counted', () => ++described)).subscribe();
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    await new Promise<void>((resolve) => {
      const reader = request({ host: '127.0.0.1', port, path: '/debug/taps/counted' }, (response) => {
        response.once('data', () => reader.destroy());
        response.on('close', resolve);
        response.on('error', () => undefined);
      });
      reader.on('error', () => undefined);
      reader.end();
    });
    await expect
      .poll(() => {
        const before = described;
        values.next(2);
        return described - before;
      })
      .toBe(0);
  });
});

describe('metrics', () => {
  it('serves the registry in the text format', async () => {
    const registry = new Registry();
    new Counter({ name: 'haptic_test_total', help: 'Tests.', registers: [registry] }).inc();
    const app = buildMetricsServer({ logger, registry });
    servers.push(app);
    const answer = await app.inject('/metrics');
    expect(answer.headers['content-type']).toContain('text/plain');
    expect(answer.body).toContain('haptic_test_total 1');
  });
});
