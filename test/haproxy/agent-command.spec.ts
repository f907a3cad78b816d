import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyBody, manifestOf, patchBody } from '../fixtures/agent-harness.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { eventually, freeAddress, type HaproxyProcess, startHaproxy } from '../fixtures/haproxy-process.ts';
import { type Site, siteFiles, visit } from '../fixtures/site-config.ts';
import type { AgentState, ApplyManifest, ApplyResult } from '../../src/protocol/wire.ts';

const main = path.resolve(import.meta.dirname, '../../src/main.ts');
const env = { ...process.env, DATAPLANE_USERNAME: 'admin', DATAPLANE_PASSWORD: 'secret', LOG_LEVEL: 'info' };
const authorization = `Basic ${Buffer.from('admin:secret').toString('base64')}`;

const flags = [
  ...['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0'],
  ...['--no-tls', '--reload-interval-min', '0'],
];

interface RunningAgent {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly url: string;
}

/** `haptic agent` as a process of its own, on a free port. */
async function runAgent(baseDir: string): Promise<RunningAgent> {
  const child = spawn(process.execPath, [main, 'agent', '--base-dir', baseDir, ...flags], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const url = await eventually('the agent listens', () => /"address":"(http[^"]+)"/.exec(output)?.[1]);
  await eventually('the agent is ready', async () =>
    (await fetch(`${url}/readyz`)).status === 200 ? true : undefined,
  );
  return { child, output: () => output, url };
}

async function stateOf(agent: RunningAgent): Promise<AgentState> {
  const answer = await fetch(`${agent.url}/v1/state`, { headers: { authorization } });
  return (await answer.json()) as AgentState;
}

async function send(agent: RunningAgent, body: FormData): Promise<ApplyResult> {
  const answer = await fetch(`${agent.url}/v1/apply`, { method: 'POST', body, headers: { authorization } });
  return (await answer.json()) as ApplyResult;
}

describeEachLine('haptic agent as a process', (line) => {
  let haproxy: HaproxyProcess;
  let agent: RunningAgent;
  let site: Site;

  beforeEach(async () => {
    haproxy = await startHaproxy(line);
    agent = await runAgent(haproxy.baseDir);
    site = { baseDir: haproxy.baseDir, bind: await freeAddress(), backends: {} };
  });
  afterEach(async () => {
    agent.child.kill('SIGKILL');
    await haproxy.stop();
  });
  const firstApply = async () => {
    const files = siteFiles(site, { '/': 'app' });
    const result = await send(
      agent,
      applyBody(manifestOf(await stateOf(agent), files, { plan_id: 'first', mode: 'reload' }), files),
    );
    expect(result).toMatchObject({ ok: true, mode: 'reload' });
    return files;
  };

  it('ends on SIGTERM with code 0, after the apply in flight', async () => {
    const files = await firstApply();
    const next = { ...files, 'maps/path.map': '/x app\n' };
    const manifest: ApplyManifest = manifestOf(await stateOf(agent), next, { plan_id: 'last' });
    const request = new Request('http://x', { method: 'POST', body: patchBody(manifest, files, next) });
    const bytes = Buffer.from(await request.arrayBuffer());
    const { hostname, port } = new URL(agent.url);
    const socket = net.connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.write(
      `POST /v1/apply HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${authorization}\r\n` +
        `Content-Type: ${request.headers.get('content-type') ?? ''}\r\nContent-Length: ${String(bytes.length)}\r\n\r\n`,
    );
    socket.write(bytes.subarray(0, -20));
    await eventually('the body is on its way', () => (socket.bytesWritten > bytes.length ? true : undefined));
    await stateOf(agent);
    const exit = once(agent.child, 'exit');
    agent.child.kill('SIGTERM');
    socket.write(bytes.subarray(-20));
    expect(await exit).toEqual([0, null]);
    expect(answer).toContain('"mode":"file_only"');
    expect(await readFile(path.join(haproxy.baseDir, 'maps/path.map'), 'utf8')).toBe('/x app\n');
    agent = await runAgent(haproxy.baseDir);
    expect(await stateOf(agent)).toMatchObject({ applied_plan_id: 'last', generation: 2 });
  });

  it('killed at any moment of an apply, it comes back to whole files that HAProxy runs', async () => {
    let files = await firstApply();
    for (let round = 0; round < 6; round++) {
      const next = { ...files, 'maps/path.map': `/round-${String(round)} app\n/ app\n` };
      const body = patchBody(
        manifestOf(await stateOf(agent), next, {
          plan_id: `round-${String(round)}`,
          ops: [
            { kind: 'map_add', path: 'maps/path.map', key: `/round-${String(round)}`, value: 'app' },
            { kind: 'map_del', path: 'maps/path.map', key: `/round-${String(round - 1)}` },
          ],
        }),
        files,
        next,
      );
      const exit = once(agent.child, 'exit');
      const sending = send(agent, body).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, round * 3));
      agent.child.kill('SIGKILL');
      await Promise.all([exit, sending]);
      agent = await runAgent(haproxy.baseDir);
      const onDisk = await readFile(path.join(haproxy.baseDir, 'maps/path.map'), 'utf8');
      expect([files['maps/path.map'], next['maps/path.map']]).toContain(onDisk);
      const state = await stateOf(agent);
      const atRuntime = (await haproxy.cli('show map maps/path.map'))
        .split('\n')
        .filter((row) => row !== '')
        .map((row) => `${row.slice(row.indexOf(' ') + 1)}\n`);
      if (state.worker_ops_plan_id !== '' || state.applied_plan_id === '')
        expect(new Set(atRuntime)).toEqual(new Set(onDisk.split(/(?<=\n)/)));
      const healed = await send(
        agent,
        applyBody(manifestOf(state, next, { plan_id: `healed-${String(round)}`, mode: 'reload' }), next),
      );
      expect(healed).toMatchObject({ ok: true, mode: 'reload' });
      files = next;
    }
    expect((await visit(site, '/nowhere')).status).toBe(404);
  });

  it('logs JSON lines without credentials or contents', async () => {
    const files = siteFiles(site, { '/': 'app' });
    const secret = 'PRIVATE KEY CONTENT';
    const all = { ...files, 'certs/a.pem': secret };
    await send(
      agent,
      applyBody(manifestOf(await stateOf(agent), all, { plan_id: 'p', mode: 'reload' }), all),
    );
    const exit = once(agent.child, 'exit');
    agent.child.kill('SIGTERM');
    await exit;
    const lines = agent.output().trim().split('\n');
    for (const row of lines) expect(() => JSON.parse(row) as unknown).not.toThrow();
    expect(agent.output()).toContain('"msg":"applied"');
    expect(agent.output()).not.toContain(secret);
    expect(agent.output()).not.toContain('secret');
  });
});

describe('haptic agent, wrongly called', () => {
  const run = async (args: readonly string[], extra: Record<string, string>) => {
    const child = spawn(process.execPath, [main, 'agent', ...args], {
      env: { PATH: process.env['PATH'], ...extra },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    return { code, output };
  };

  it('says what is wrong and exits with 2', async () => {
    expect(await run(['--no-tls'], {})).toEqual({
      code: 2,
      output:
        'haptic agent: DATAPLANE_USERNAME and DATAPLANE_PASSWORD must be set with --no-tls\n' +
        'haptic agent --help tells what it takes.\n',
    });
    const flag = await run(['--listen', 'x'], {});
    expect(flag).toMatchObject({ code: 2 });
    expect(flag.output).toContain('--listen');
  });

  it('explains itself', async () => {
    const help = await run(['--help'], {});
    expect(help.code).toBe(0);
    for (const flag of ['--base-dir', '--master-socket', '--worker-socket', '--reload-timeout', '--listen'])
      expect(help.output).toContain(flag);
  });
});
