import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AgentState, ApplyResult } from '../../src/protocol/wire.ts';
import { applyBody, manifestOf } from '../fixtures/agent-harness.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { eventually, freeAddress, type HaproxyProcess, startHaproxy } from '../fixtures/haproxy-process.ts';
import { siteFiles } from '../fixtures/site-config.ts';

const main = path.resolve(import.meta.dirname, '../../src/main.ts');
const shipped = path.resolve(import.meta.dirname, '../../charts/haptic/files/bootstrap.cfg');
const credentials = { DATAPLANE_USERNAME: 'admin', DATAPLANE_PASSWORD: 'secret' };
const authorization = `Basic ${Buffer.from('admin:secret').toString('base64')}`;

describeEachLine('haptic agent --bootstrap', (line) => {
  let baseDir: string;
  let source: string;
  let status: string;
  let agent: ChildProcess | undefined;
  let haproxy: HaproxyProcess | undefined;
  let output: string;
  let url: string;

  beforeEach(async () => {
    baseDir = await mkdtemp(path.join(tmpdir(), 'haptic-bootstrap-'));
    const { host, port } = await freeAddress();
    status = `http://${host}:${String(port)}`;
    source = `${baseDir}.cfg`;
    const text = await readFile(shipped, 'utf8');
    expect(text.split('*:8404')).toHaveLength(2);
    await writeFile(source, text.replace('*:8404', `${host}:${String(port)}`));
  });
  afterEach(async () => {
    await endAgent();
    await haproxy?.stop();
    haproxy = undefined;
    await rm(baseDir, { recursive: true, force: true });
    await rm(source);
  });

  /** Resolves with the first answer of `/healthz`, which is what a start-up probe waits for. */
  const startAgent = async () => {
    const metrics = await freeAddress();
    const child = spawn(
      process.execPath,
      [
        ...[main, 'agent', '--base-dir', baseDir, '--bootstrap', source, '--no-tls'],
        ...['--listen', '127.0.0.1:0', '--metrics-listen', `${metrics.host}:${String(metrics.port)}`],
        ...['--reload-interval-min', '0'],
      ],
      { env: { ...process.env, ...credentials }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    agent = child;
    output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await eventually('the agent is healthy', async () =>
      (await fetch(`http://${metrics.host}:${String(metrics.port)}/healthz`)).ok ? true : undefined,
    );
    expect(existsSync(path.join(baseDir, 'haproxy.cfg'))).toBe(true);
    url = await eventually('the agent listens', () => /"address":"(http[^"]+)"/.exec(output)?.[1]);
  };
  const endAgent = async () => {
    if (agent === undefined || agent.exitCode !== null || agent.signalCode !== null) return;
    const exit = once(agent, 'exit');
    agent.kill('SIGKILL');
    await exit;
  };
  const startProxy = async () => {
    haproxy = await startHaproxy(line, { baseDir, config: 'kept' });
  };
  const ask = async (where: string) => (await fetch(`${status}${where}`)).status;
  const state = async () =>
    (await (await fetch(`${url}/v1/state`, { headers: { authorization } })).json()) as AgentState;
  const ready = () =>
    eventually('the agent is ready', async () =>
      (await fetch(`${url}/readyz`)).status === 200 ? true : undefined,
    );
  const apply = async (files: Readonly<Record<string, string>>) => {
    const body = applyBody(manifestOf(await state(), files, { plan_id: 'first', mode: 'reload' }), files);
    const answer = await fetch(`${url}/v1/apply`, { method: 'POST', body, headers: { authorization } });
    expect((await answer.json()) as ApplyResult).toMatchObject({ ok: true, mode: 'reload' });
  };
  const site = async () => siteFiles({ baseDir, bind: await freeAddress(), backends: {} }, {});

  it('gives HAProxy a file to start on: alive, measured, and not ready', async () => {
    await startAgent();
    await startProxy();
    expect(await Promise.all(['/healthz', '/ready', '/metrics', '/'].map(ask))).toEqual([200, 503, 200, 404]);
    expect(await (await fetch(`${status}/metrics`)).text()).toMatch(/^haproxy_process_uptime_seconds /m);
    // Newer lines warn of root, which tests may be.
    const complaints = (haproxy?.log() ?? '').split('\n').filter((row) => /WARNING|ALERT/.test(row));
    expect(complaints.filter((row) => !row.includes('started as'))).toEqual([]);
    await ready();
    expect(await state()).toMatchObject({ applied_plan_id: '', files: {} });
    expect(output).toContain('there was no configuration');
  });

  it('is replaced by the first apply, and not put over that by an agent that starts again', async () => {
    await startAgent();
    await startProxy();
    await ready();
    const files = await site();
    await apply(files);
    await endAgent();
    await startAgent();
    await ready();
    expect(await readFile(path.join(baseDir, 'haproxy.cfg'), 'utf8')).toBe(files['haproxy.cfg']);
    expect(await state()).toMatchObject({ applied_plan_id: 'first', running_plan_id: 'first' });
  });

  it('serves where an accepted file was lost with HAProxy down, until the agent has put that back', async () => {
    await startAgent();
    await startProxy();
    await ready();
    const files = await site();
    await apply(files);
    await endAgent();
    await haproxy?.kill();
    await rm(path.join(baseDir, 'haproxy.cfg'));
    await startAgent();
    await startProxy();
    await ready();
    await eventually('the accepted configuration is back and runs', async () =>
      (await state()).running_plan_id === 'first' ? true : undefined,
    );
    expect(await readFile(path.join(baseDir, 'haproxy.cfg'), 'utf8')).toBe(files['haproxy.cfg']);
  });
});
