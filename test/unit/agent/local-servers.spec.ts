import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAgentMetrics } from '../../../src/agent/agent-metrics.ts';
import { buildAdminServer } from '../../../src/agent/build-admin-server.ts';
import { buildMetricsServer } from '../../../src/agent/build-metrics-server.ts';
import { buildDrainServer } from '../../../src/agent/drain/build-drain-server.ts';
import { createDrain } from '../../../src/agent/drain/create-drain.ts';
import { listenLocal } from '../../../src/agent/listen-local.ts';
import { followTlsFolder } from '../../../src/lib/tls/tls-folder.ts';
import type { AgentState } from '../../../src/protocol/wire.ts';
import { makeAgentCertificates } from '../../fixtures/agent-certificates.ts';

const log = pino({ level: 'silent' });
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'haptic-local-'));
});
afterEach(() => rm(folder, { recursive: true }));

const ask = (socketPath: string, url: string, method = 'GET') =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    request({ socketPath, path: url, method }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .on('error', reject)
      .end();
  });

describe('the metrics of an agent', () => {
  const scrape = async (registry: Registry) => {
    const app = buildMetricsServer({ agent: { ready: () => true }, registry, log });
    const answer = await app.inject('/metrics');
    expect(answer.headers['content-type']).toContain('text/plain');
    return answer.body;
  };

  it('are there by their names before anything happened', async () => {
    const registry = new Registry();
    createAgentMetrics(registry);
    const text = await scrape(registry);
    for (const name of [
      'apply_total',
      'reloads_total',
      'rollbacks_total',
      'generation',
      'map_divergence_total',
    ])
      expect(text).toContain(`# TYPE haptic_agent_${name} `);
  });

  it('count what they are told, by label', async () => {
    const registry = new Registry();
    const meters = createAgentMetrics(registry);
    meters.applied('runtime');
    meters.applied('runtime');
    meters.applied('rejected');
    meters.rejected('fence');
    meters.invariant('reload_mode_reloads');
    meters.reloaded('ok');
    meters.reloaded('failed');
    meters.rolledBack();
    meters.deferredDelete('server', 'deferred');
    meters.deferredDelete('backend', 'abandoned');
    meters.operationError('map_add');
    meters.generation(7);
    meters.mapDivergence();
    const lines = (await scrape(registry)).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'haptic_agent_apply_total{mode="runtime"} 2',
        'haptic_agent_apply_total{mode="rejected"} 1',
        'haptic_agent_apply_rejected_total{stage="fence"} 1',
        'haptic_agent_invariant_violations_total{name="reload_mode_reloads"} 1',
        'haptic_agent_reloads_total{result="ok"} 1',
        'haptic_agent_reloads_total{result="failed"} 1',
        'haptic_agent_rollbacks_total 1',
        'haptic_agent_deferred_deletes_total{kind="server",outcome="deferred"} 1',
        'haptic_agent_deferred_deletes_total{kind="backend",outcome="abandoned"} 1',
        'haptic_agent_op_errors_total{kind="map_add"} 1',
        'haptic_agent_generation 7',
        'haptic_agent_map_divergence_total 1',
      ]),
    );
  });

  it('tell when the certificate ends, and 0 while it is not usable', async () => {
    await using made = await makeAgentCertificates();
    const registry = new Registry();
    createAgentMetrics(registry, followTlsFolder(made.serverDir));
    const value = async () =>
      Number(/^haptic_agent_certificate_expiry_timestamp_seconds (.+)$/m.exec(await scrape(registry))?.[1]);
    const end = followTlsFolder(made.serverDir).current().leaf.validToDate.getTime() / 1000;
    expect(await value()).toBe(end);
    await writeFile(path.join(made.serverDir, 'tls.key'), '');
    expect(await value()).toBe(0);
  });

  it('come with the probes, for those who have no certificate', async () => {
    const ready = vi.fn(() => false);
    const app = buildMetricsServer({ agent: { ready }, registry: new Registry(), log });
    expect((await app.inject('/healthz')).statusCode).toBe(200);
    expect((await app.inject('/readyz')).statusCode).toBe(503);
    ready.mockReturnValue(true);
    expect((await app.inject('/readyz')).json()).toEqual({ status: 'ok' });
    expect((await app.inject('/v1/state')).statusCode).toBe(404);
  });
});

describe('the admin socket', () => {
  const serve = async (agent: Partial<Parameters<typeof buildAdminServer>[0]['agent']> = {}) => {
    const state = vi.fn(() => Promise.resolve({ generation: 1 } as AgentState));
    const socket = path.join(folder, 'admin.sock');
    const close = await listenLocal(
      buildAdminServer({ agent: { ready: () => true, state, ...agent }, log }),
      socket,
    );
    return { socket, state, close };
  };

  it('tells health and state, and takes nothing else', async () => {
    const { socket, state, close } = await serve();
    expect(await ask(socket, '/healthz')).toEqual({ status: 200, body: '{"status":"ok"}' });
    expect(await ask(socket, '/v1/state?verify=1&plan=0')).toEqual({ status: 200, body: '{"generation":1}' });
    expect(state).toHaveBeenCalledExactlyOnceWith({ verify: true, plan: false });
    for (const [method, url] of [
      ['POST', '/v1/apply'],
      ['PUT', '/v1/plan'],
      ['POST', '/v1/state'],
    ] as const)
      expect((await ask(socket, url, method)).status).toBe(404);
    await close();
  });

  it('answers no state before the agent is ready, and hides its failures', async () => {
    const { socket, close } = await serve({ ready: () => false });
    expect((await ask(socket, '/v1/state')).status).toBe(503);
    await close();
    const failing = await serve({ state: () => Promise.reject(new Error('inner')) });
    const answer = await ask(failing.socket, '/v1/state');
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain('inner');
    await failing.close();
  });

  it('is for its owner alone, and gone when it is closed', async () => {
    const { socket, close } = await serve();
    expect((await stat(socket)).mode & 0o777).toBe(0o600);
    await close();
    expect(await readdir(folder)).toEqual([]);
  });

  it('takes the place of one that a killed agent left, and leaves a successor’s alone', async () => {
    const first = await serve();
    const second = await serve();
    await first.close();
    expect((await ask(second.socket, '/healthz')).status).toBe(200);
    await second.close();
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('the drain socket', () => {
  const serve = async (count: () => Promise<number>) => {
    const times = {
      minWaitMs: 0,
      quietPeriodMs: 200,
      maxWaitMs: 60_000,
      pollMs: 5,
      now: () => performance.now(),
    };
    const socket = path.join(folder, 'drain.sock');
    const counted = vi.fn(count);
    const drain = createDrain({ ...times, count: counted });
    const announceSoftStop = vi.fn(() => Promise.resolve());
    const server = buildDrainServer({ drain, announceSoftStop, log });
    return { socket, counted, announceSoftStop, close: await listenLocal(server, socket) };
  };

  it('holds the request until the drain has ended', async () => {
    let left = 5;
    const { socket, announceSoftStop, close } = await serve(() => Promise.resolve(left > 0 ? left-- : 0));
    const announced = Promise.withResolvers<undefined>();
    announceSoftStop.mockImplementation(() => announced.promise);
    let answers = 0;
    const asked = ask(socket, '/drain').finally(() => answers++);
    await vi.waitFor(() => expect(announceSoftStop).toHaveBeenCalledOnce(), { timeout: 10_000 });
    expect(answers).toBe(0);
    announced.resolve(undefined);
    const answer = await asked;
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ reason: 'quiet' });
    await close();
  });

  it('gives up when the one who asked has gone', async () => {
    let total = 0;
    const { socket, counted, announceSoftStop, close } = await serve(() => Promise.resolve(total++));
    const asked = request({ socketPath: socket, path: '/drain' }).on('error', () => undefined);
    asked.end();
    await vi.waitFor(() => expect(counted).toHaveBeenCalled(), { timeout: 10_000 });
    asked.destroy();
    await vi.waitFor(
      async () => {
        const before = counted.mock.calls.length;
        await new Promise((resolve) => setTimeout(resolve, 50));
        expect(counted.mock.calls.length).toBe(before);
      },
      { timeout: 10_000 },
    );
    await close();
    expect(announceSoftStop).not.toHaveBeenCalled();
  });

  it('answers when the agent stops', async () => {
    let total = 0;
    const { socket, counted, close } = await serve(() => Promise.resolve(total++));
    const answer = ask(socket, '/drain');
    await vi.waitFor(() => expect(counted).toHaveBeenCalled(), { timeout: 10_000 });
    await close();
    expect(JSON.parse((await answer).body)).toMatchObject({ reason: 'cancelled' });
  });
});
