import { type ChildProcess, fork, spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askHaproxy } from './haproxy-socket.ts';

/** The least that anybody has to do: watch the same API and write the runtime commands to a HAProxy of the same size. */
export interface Floor {
  readonly httpPort: number;
  stop(): Promise<void>;
}

export interface FloorOptions {
  readonly haproxyPath: string;
  readonly baseDir: string;
  readonly kubeconfigPath: string;
  readonly httpPort: number;
}

/** Starts a second HAProxy on a copy of the measured one's files, and the loop of `floor-loop.ts` in its own process. */
export async function startFloor(options: FloorOptions): Promise<Floor> {
  const folder = await mkdtemp(path.join(tmpdir(), 'haptic-floor-'));
  await cp(path.join(options.baseDir, 'maps'), path.join(folder, 'maps'), { recursive: true });
  const config = await readFile(path.join(options.baseDir, 'haproxy.cfg'), 'utf8');
  const moved = config
    .replace(/^(frontend http [^\n]*\n\s+bind )\S+/m, `$1127.0.0.1:${options.httpPort}`)
    .replace(/^(frontend status [^\n]*\n\s+bind )\S+/m, `$1unix@${path.join(folder, 'status.sock')}`);
  await writeFile(path.join(folder, 'haproxy.cfg'), moved);
  const haproxy = spawn(options.haproxyPath, ['-W', '-db', '-f', 'haproxy.cfg'], {
    cwd: folder,
    stdio: 'ignore',
  });
  const socketPath = path.join(folder, 'haproxy-worker.sock');
  await until(async () => (await askHaproxy(socketPath, 'show info')).includes('Pid'));
  const loop = fork(process.argv[1] ?? '', [], {
    env: {
      ...process.env,
      HAPTIC_BENCH_FLOOR: JSON.stringify({ kubeconfigPath: options.kubeconfigPath, socketPath }),
    },
  });
  await new Promise<void>((resolve, reject) => {
    loop.once('message', () => resolve());
    loop.once('exit', (code) => reject(new Error(`floor loop ended with ${code}`)));
  });
  return {
    httpPort: options.httpPort,
    stop: async () => {
      await Promise.all([end(loop), end(haproxy)]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function until(isReady: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await isReady().catch(() => false)) return;
    await sleep(50);
  }
  throw new Error('the floor HAProxy does not come up');
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.removeAllListeners('exit');
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
