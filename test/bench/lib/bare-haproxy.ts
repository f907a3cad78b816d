import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface BareHaproxy {
  readonly pid: number | undefined;
  /** Microseconds of CPU time since it started, of all threads. */
  readonly cpuUs: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/**
 * One HAProxy process without a master on files of its own, if need be `under` another program; resolves once the port takes connections.
 * What it prints is thrown away.
 */
export async function startBareHaproxy(
  haproxy: string,
  folder: string,
  files: Readonly<Record<string, string>>,
  port: number,
  under: readonly string[] = [],
): Promise<BareHaproxy> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  let errors = '';
  const [program, ...options] = [...under, haproxy, '-dr', '-db', '-f', 'haproxy.cfg'];
  const child = spawn(program, options, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.on('data', (chunk: Buffer) => (errors = `${errors}${chunk.toString()}`.slice(-10_000)));
  const killOnExit = (): void => void child.kill('SIGKILL');
  process.on('exit', killOnExit);
  for (let attempt = 0; !(await accepts(port)); attempt++) {
    if (child.exitCode !== null || attempt > 300) throw new Error(`HAProxy does not listen: ${errors}`);
    await sleep(100);
  }
  return {
    pid: child.pid,
    cpuUs: () => cpuUsOf(child),
    stop: async () => {
      process.off('exit', killOnExit);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The scheduler counts in nanoseconds, `/proc/<pid>/stat` in hundredths of a second. */
async function cpuUsOf({ pid }: ChildProcess): Promise<number> {
  const tasks = `/proc/${String(pid)}/task`;
  const threads = await readdir(tasks);
  const times = await Promise.all(
    threads.map(async (thread) =>
      Number((await readFile(`${tasks}/${thread}/schedstat`, 'utf8')).split(' ')[0]),
    ),
  );
  return times.reduce((sum, time) => sum + time, 0) / 1000;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    const done = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('connect', () => done(true));
    socket.on('error', () => done(false));
  });
}
