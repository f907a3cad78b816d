import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { Registry, Counter } from 'prom-client';
import { BehaviorSubject, of, Subject } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { createTaps } from '../../../src/operators/taps.ts';
import { buildMetricsServer } from '../../../src/server/build-metrics-server.ts';
import { buildServer } from '../../../src/server/build-server.ts';

const logger = pino({ level: 'silent' });
const servers: FastifyInstance[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => server.close()));
});

function server(
  options: { notReady?: string; heartbeat?: number; plan?: () => Promise<Uint8Array | undefined> } = {},
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
      heartbeat: options.heartbeat ?? 60_000,
    },
  });
  servers.push(app);
  return { app, taps };
}

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
          if (lines.some((line) => line.startsWith('{"dropped"'))) {
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
