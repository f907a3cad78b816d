import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from './move-config.ts';

export interface RunHaproxyOptions {
  readonly haproxy: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folder with haproxy.cfg. */
  readonly cwd: string;
  /** Addresses that take connections when it has started. */
  readonly entrances: readonly Address[];
  readonly onProcess: (pid: number, runs: boolean) => void;
  /** Says why it did not start, of all that it printed. */
  readonly explain: (output: string) => string;
}

const patienceMs = 20_000;
const maxOutput = 64 * 1024;

/** Starts HAProxy and waits until it takes connections. Rejects with what it printed when it ends before. */
export async function runHaproxy({
  haproxy,
  env,
  cwd,
  entrances,
  onProcess,
  explain,
}: RunHaproxyOptions): Promise<{ stop(): Promise<void> }> {
  const child = spawn(haproxy, ['-db', '-dr', '--', 'haproxy.cfg'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const collect = (chunk: Buffer): void => {
    if (output.length < maxOutput) output += chunk.toString('utf8');
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      output += error.message;
      resolve();
    });
  });
  const state = { runs: true };
  const { pid } = child;
  if (pid !== undefined) onProcess(pid, true);
  void exited.then(() => {
    state.runs = false;
    if (pid !== undefined) onProcess(pid, false);
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  const deadline = performance.now() + patienceMs;
  for (const entrance of entrances)
    while (!(await accepts(entrance))) {
      const isLate = performance.now() > deadline;
      if (isLate) await stop();
      if (!state.runs || isLate) throw new Error(`HAProxy did not start: ${explain(output)}`);
      await sleep(5);
    }
  return { stop };
}

async function accepts({ host, port }: Address): Promise<boolean> {
  const socket = net.connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
