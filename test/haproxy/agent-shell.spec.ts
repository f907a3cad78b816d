import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAgentClient, type AgentClient } from '../../src/fleet/agent-client.ts';
import type { HaproxyPod } from '../../src/protocol/pod.ts';
import { type AgentCertificates, makeAgentCertificates } from '../fixtures/agent-certificates.ts';
import { manifestOf } from '../fixtures/agent-harness.ts';
import { describeEachLine } from '../fixtures/haproxy-lines.ts';
import { eventually, freeAddress, type HaproxyProcess, startHaproxy } from '../fixtures/haproxy-process.ts';
import { siteFiles, visit } from '../fixtures/site-config.ts';

const main = path.resolve(import.meta.dirname, '../../src/main.ts');

describeEachLine('haptic agent, with all its listeners', (line) => {
  let haproxy: HaproxyProcess;
  let certificates: AgentCertificates;
  let child: ChildProcess;
  let output: string;
  let client: AgentClient;
  let pod: HaproxyPod;
  let metricsUrl: string;

  const start = async (...flags: string[]) => {
    output = '';
    const listen = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0'];
    child = spawn(
      process.execPath,
      [
        ...[main, 'agent', '--base-dir', haproxy.baseDir, ...listen],
        ...['--tls-dir', certificates.serverDir, '--reload-interval-min', '0', ...flags],
      ],
      { env: { PATH: process.env['PATH'], LOG_LEVEL: 'trace' }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const address = await eventually('the agent listens', () => /"address":"(https[^"]+)"/.exec(output)?.[1]);
    metricsUrl = /"metrics":"(http[^"]+)"/.exec(output)?.[1] ?? '';
    pod = {
      key: 'ns/p',
      uid: 'u',
      address: '127.0.0.1',
      port: Number(new URL(address).port),
      containerId: 'c',
    };
    await eventually('the agent is ready', async () =>
      (await fetch(`${metricsUrl}/readyz`)).status === 200 ? true : undefined,
    );
  };
  beforeEach(async () => {
    haproxy = await startHaproxy(line);
    certificates = await makeAgentCertificates();
    client = createAgentClient({
      tls: { dir: certificates.clientDir, serverName: 'haptic-agent-tls.haptic.svc' },
    });
  });
  afterEach(async () => {
    await client.close();
    child.kill('SIGKILL');
    await haproxy.stop();
    await certificates.remove();
  });

  /** `haptic agent WORD` as somebody in the pod runs it. */
  const haptic = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      execFile(process.execPath, [main, 'agent', ...args], (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });
  const here = () => ['--base-dir', haproxy.baseDir];

  /** An apply as the controller sends it. */
  const apply = async (files: Readonly<Record<string, string>>) => {
    const state = await lastValueFrom(client.state(pod));
    const manifest = manifestOf(state, files, { plan_id: `plan-${state.generation + 1}`, mode: 'reload' });
    const parts = Object.entries(files).map(([name, text]) => ({ path: name, bytes: [Buffer.from(text)] }));
    const answer = await lastValueFrom(client.apply(pod, { manifest, parts }));
    expect(answer).toMatchObject({ kind: 'result', result: { ok: true } });
  };

  it('takes an apply over mutual TLS, counts it, shows it, and logs nothing of its content', async () => {
    await start();
    const site = { baseDir: haproxy.baseDir, bind: await freeAddress(), backends: {} };
    const [certificate, key] = await Promise.all(
      ['tls.crt', 'tls.key'].map((name) => readFile(path.join(certificates.clientDir, name), 'utf8')),
    );
    const pem = `${certificate ?? ''}${key ?? ''}`;
    await apply({ ...siteFiles(site, { '/': 'app' }), 'certs/site.pem': pem });
    expect((await visit(site, '/nowhere')).status).toBe(404);

    const metrics = await (await fetch(`${metricsUrl}/metrics`)).text();
    expect(metrics).toMatch(/^haptic_agent_apply_total\{mode="reload"\} 1$/m);
    expect(metrics).toMatch(/^haptic_agent_reloads_total\{result="ok"\} 1$/m);
    expect(metrics).toMatch(/^haptic_agent_generation 1$/m);
    expect(metrics).toMatch(/^haptic_agent_certificate_expiry_timestamp_seconds 1\.?\d/m);

    const text = await haptic('state', ...here(), '--files', '--verify');
    expect(text).toMatchObject({ code: 0, stderr: '' });
    expect(text.stdout).toMatch(/^on disk +plan-1 a:\d+$/m);
    expect(text.stdout).toMatch(new RegExp(`^haproxy +${line.version.split('-')[0] ?? ''}`, 'm'));
    expect(text.stdout).toMatch(/^ {2}[0-9a-f]{16} +\d+ {2}certs\/site\.pem$/m);
    const remote = await haptic(
      ...['state', '--url', `https://127.0.0.1:${pod.port}`, '--output', 'json'],
      ...['--tls-dir', certificates.clientDir],
    );
    expect(JSON.parse(remote.stdout)).toMatchObject({ applied_plan_id: 'plan-1', generation: 1 });
    expect(JSON.parse(remote.stdout)).not.toHaveProperty('files');
    const refused = await haptic(
      ...['state', '--url', `https://127.0.0.1:${pod.port}`, '--tls-dir', certificates.serverDir],
    );
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('HAPTIC_ERR_AGENT_CLIENT');

    const keyLines = (key ?? '').split('\n').filter((row) => row.length > 20 && !row.startsWith('-----'));
    const own = await readFile(path.join(certificates.serverDir, 'tls.key'), 'utf8');
    expect(keyLines.length).toBeGreaterThan(0);
    for (const secret of [...keyLines, ...own.split('\n').slice(1, 3), 'PRIVATE KEY', 'BEGIN CERT'])
      expect(output).not.toContain(secret);
    expect(output).toContain('"msg":"applied"');
  });

  it('goes on with exchanged certificates, without a restart', async () => {
    await start();
    const site = { baseDir: haproxy.baseDir, bind: await freeAddress(), backends: {} };
    await apply(siteFiles(site, { '/': 'app' }));
    await certificates.renew({ force: true });
    await apply(siteFiles(site, { '/': 'app', '/x': 'app' }));
    expect(output).toContain('certificate exchanged');
    expect(child.exitCode).toBeNull();
  });

  it('has an admin socket for its owner, that tells health; the command says when nobody answers', async () => {
    await start();
    const socket = path.join(haproxy.baseDir, 'haptic-agent-admin.sock');
    expect((await stat(socket)).mode & 0o777).toBe(0o600);
    expect(await haptic('health', ...here())).toEqual({ code: 0, stdout: 'ok\n', stderr: '' });
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(await stat(socket).catch(() => 'gone')).toBe('gone');
    for (const word of ['health', 'state', 'drain'])
      expect(await haptic(word, ...here())).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('ENOENT') as string,
      });
    expect(await haptic('state', '--output', 'xml')).toMatchObject({ code: 2 });
    expect(await haptic('health', '--nonsense')).toMatchObject({ code: 2 });
    expect((await haptic('drain', '--help')).stdout).toContain('preStop');
  });

  it('drains: waits while connections come, ends when none do, whatever comes to ignored frontends', async () => {
    await start('--drain-quiet-period', '2s', '--drain-max-wait', '1m', '--drain-ignore-frontends', 'stats');
    const [bind, statistics] = [await freeAddress(), await freeAddress()];
    const site = { baseDir: haproxy.baseDir, bind, backends: {} };
    const files = siteFiles(site, { '/': 'app' });
    await apply({
      ...files,
      'haproxy.cfg': `${files['haproxy.cfg'] ?? ''}frontend stats from site\n  bind ${statistics.host}:${String(statistics.port)}\n  http-request return status 200\n`,
    });
    let visits = 0;
    const busy = new AbortController();
    const visitor = async () => {
      while (!busy.signal.aborted) {
        await visit(site, '/nowhere');
        visits++;
        await new Promise((next) => setTimeout(next, 30));
      }
    };
    // Several, so that a machine that is slow has no quiet period of its own.
    const traffic = Promise.all(Array.from({ length: 4 }, visitor));
    const probed = new AbortController();
    const probes = (async () => {
      while (!probed.signal.aborted) {
        await visit({ ...site, bind: statistics }, '/');
        await new Promise((next) => setTimeout(next, 30));
      }
    })();
    let ended = false;
    const drained = haptic('drain', ...here()).finally(() => (ended = true));
    await eventually('the drain has begun', () => (output.includes('drain begins') ? true : undefined));
    const [before, began] = [visits, Date.now()];
    await eventually('traffic goes on for longer than the quiet period', () =>
      visits > before + 40 && Date.now() - began > 3_000 ? true : undefined,
    );
    expect(ended).toBe(false);
    busy.abort();
    await traffic;
    const { code, stdout, stderr } = await drained;
    probed.abort();
    await probes;
    expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ reason: 'quiet' });
  });

  it('drains no longer than it is told to, and not at all without HAProxy', async () => {
    // Elsewhere than HAProxy's folder, which goes with it.
    const socket = ['--drain-socket', path.join(certificates.dir, 'drain.sock')];
    await start('--drain-quiet-period', '1m', '--drain-max-wait', '300ms', ...socket);
    const drain = async () => JSON.parse((await haptic('drain', ...socket)).stdout) as unknown;
    expect(await drain()).toMatchObject({ reason: 'bound' });
    await haproxy.stop();
    expect(await drain()).toMatchObject({ reason: 'unavailable' });
  });
});
