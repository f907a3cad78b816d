import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentEnvironment } from '../../../src/lib/agent-environment.ts';
import { nodeFlags } from '../../../src/lib/node-flags.ts';
import { bootstrapConfig } from '../../../src/sandbox/runtime/bootstrap-config.ts';
import { askHaproxy } from './haproxy-socket.ts';

/** A real HAProxy and the built agent beside it, as in a pod. */
export interface AgentPod {
  readonly address: string;
  /** Resident memory of the agent's process. */
  readonly agentRssMiB: () => Promise<number>;
  stop(): Promise<void>;
}

export interface AgentPodOptions {
  readonly haproxyPath: string;
  readonly address: string;
  readonly port: number;
  /** More arguments of `haptic agent`: how its clients show who they are. */
  readonly agentArgs: readonly string[];
}

/** Starts both; resolves when the agent is ready. */
export async function startAgentPod(options: AgentPodOptions): Promise<AgentPod> {
  const baseDir = await mkdtemp(path.join(tmpdir(), 'haptic-pod-'));
  await writeFile(path.join(baseDir, 'haproxy.cfg'), bootstrapConfig(baseDir, 'unix@haptic-http.sock'));
  const log = openSync(path.join(baseDir, 'agent.log'), 'a');
  const haproxy = spawn(
    options.haproxyPath,
    ['-dr', '-W', '-db', '-S', `${baseDir}/haproxy-master.sock,level,admin`, '--', 'haproxy.cfg'],
    { cwd: baseDir, stdio: 'ignore' },
  );
  const listen = `${options.address}:${options.port}`;
  const agent = spawn(
    process.execPath,
    [
      ...[...nodeFlags, path.resolve('dist/haptic.js'), 'agent'],
      ...['--base-dir', baseDir, '--listen', listen, '--metrics-listen', `${options.address}:0`],
      ...options.agentArgs,
    ],
    { stdio: ['ignore', log, log], env: { ...process.env, ...agentEnvironment } },
  );
  closeSync(log);
  const killAll = () => [agent, haproxy].forEach((child) => child.kill('SIGKILL'));
  process.once('exit', killAll);
  const text = () => readFile(path.join(baseDir, 'agent.log'), 'utf8');
  for (let attempt = 0; !(await text()).includes('agent is ready'); attempt++) {
    if (attempt === 600 || agent.exitCode !== null)
      throw new Error(`the agent does not come up: ${await text()}`);
    await sleep(50);
  }
  return {
    address: options.address,
    agentRssMiB: async () => {
      const status = await readFile(`/proc/${agent.pid}/status`, 'utf8');
      return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
    },
    stop: async () => {
      await end(agent, 'SIGTERM');
      const worker = Number(
        /^Pid: (\d+)/m.exec(await askHaproxy(path.join(baseDir, 'haproxy-worker.sock'), 'show info'))?.[1],
      );
      await end(haproxy, 'SIGKILL');
      process.kill(worker, 'SIGKILL');
      process.off('exit', killAll);
      await rm(baseDir, { recursive: true, force: true });
    },
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
