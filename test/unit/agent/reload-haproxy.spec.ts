import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reloadHaproxy } from '../../../src/agent/runtime/reload-haproxy.ts';

let folder: string;
let masterSocket: string;
let workerSocket: string;
let stop: (() => Promise<void>)[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'haptic-reload-'));
  masterSocket = path.join(folder, 'master.sock');
  workerSocket = path.join(folder, 'worker.sock');
  stop = [];
});
afterEach(async () => {
  for (const close of stop) await close();
  await rm(folder, { recursive: true, force: true });
});

/** Answers each connection's line and closes it; an undefined answer closes it without a word. */
async function listen(socket: string, answer: (line: string) => string | undefined): Promise<void> {
  const server = net.createServer({ allowHalfOpen: true }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('end', () => connection.end());
    connection.once('data', (line) => connection.end(answer(line.toString().trim()) ?? ''));
  });
  server.listen(socket);
  await once(server, 'listening');
  stop.push(async () => {
    server.close();
    await once(server, 'close');
  });
}

const procs = (reloads: number, worker: number, failed = 0) =>
  [
    '#<PID>          <type>          <reloads>       <uptime>        <version>',
    `1               master          ${String(reloads)}${failed > 0 ? ` [failed: ${String(failed)}]` : ''}               0d00h00m01s     x`,
    '# workers',
    `${String(worker)}               worker          0               0d00h00m01s     x`,
    '# programs',
    '',
  ].join('\n');
const info = (pid: number) => `Version: 3.2.1\nPid: ${String(pid)}\nStart_time_sec: ${String(pid)}.5\n`;
const former = {
  version: '3.2',
  full_version: '3.2.1',
  worker_pid: 10,
  worker_start_time_unix_micros: 10_500_000,
};
const reload = (patienceMs = 5_000) =>
  reloadHaproxy({ masterSocket, workerSocket, former, timeoutMs: 20_000, patienceMs });

/** A master whose answers to `reload` come from a list, and which is then what the state says. */
async function master(
  answers: ((state: { reloads: number; worker: number; failed: number }) => string | undefined)[],
) {
  const state = { reloads: 3, worker: 10, failed: 0 };
  const asked: string[] = [];
  await listen(masterSocket, (line) => {
    asked.push(line);
    if (line !== 'reload') return procs(state.reloads, state.worker, state.failed);
    return answers.shift()?.(state);
  });
  await listen(workerSocket, () => info(state.worker));
  return { state, reloads: () => asked.filter((line) => line === 'reload').length };
}

describe('a reload', () => {
  it('is over when another worker answers', async () => {
    await master([
      (state) => {
        state.worker = 11;
        return 'Success=1\n--\nfine\n';
      },
    ]);
    expect(await reload()).toMatchObject({ ok: true, worker: { worker_pid: 11 }, output: 'fine' });
  });

  it('that HAProxy refuses is not tried again', async () => {
    const { reloads } = await master([() => 'Success=0\n--\nno such keyword\n']);
    expect(await reload()).toMatchObject({ ok: false, verdict: 'refused', output: 'no such keyword' });
    expect(reloads()).toBe(1);
  });

  it('whose master tells nothing is judged by its counters: refused', async () => {
    await master([
      (state) => {
        state.reloads++;
        state.failed++;
        return undefined;
      },
    ]);
    expect(await reload()).toMatchObject({ ok: false, verdict: 'refused' });
  });

  it.each(['', 'Success=0\n--\n'])(
    'is asked for again while the master is busy with another: %j',
    async (head) => {
      const { reloads } = await master([
        () => `${head}Another reload is still in progress.\n`,
        (state) => {
          state.worker = 11;
          return 'Success=1\n--\n';
        },
      ]);
      expect(await reload()).toMatchObject({ ok: true, worker: { worker_pid: 11 } });
      expect(reloads()).toBe(2);
    },
  );

  it.each([
    ['counts from zero again', { reloads: 0, worker: 20, failed: 0 }],
    ['has another worker without a reload', { reloads: 3, worker: 20, failed: 0 }],
  ])('whose master died is asked for again at the next one, which %s', async (_how, restarted) => {
    const { reloads } = await master([
      (state) => {
        Object.assign(state, restarted);
        return undefined;
      },
      (state) => {
        state.reloads++;
        state.worker = 21;
        return undefined;
      },
    ]);
    expect(await reload()).toMatchObject({ ok: true, worker: { worker_pid: 21 } });
    expect(reloads()).toBe(2);
  });

  it('waits for a master that begins only now', async () => {
    const outcome = reload();
    await new Promise((resolve) => setTimeout(resolve, 400));
    await master([
      (state) => {
        state.worker = 11;
        return 'Success=1\n--\n';
      },
    ]);
    expect(await outcome).toMatchObject({ ok: true, worker: { worker_pid: 11 } });
  });

  it('has no verdict when nobody is there for long', async () => {
    expect(await reload(200)).toMatchObject({ ok: false, verdict: 'unknown' });
  });

  it('is not asked for of a HAProxy that ends: its worker runs, and listens no more', async () => {
    const asked: string[] = [];
    await listen(masterSocket, (line) => (asked.push(line), procs(3, 10)));
    expect(await reload(200)).toMatchObject({
      ok: false,
      verdict: 'unknown',
      output: expect.stringContaining('HAProxy ends') as string,
    });
    expect(asked).not.toContain('reload');
  });

  it('waits for the worker of a HAProxy that was started anew, with the same pids', async () => {
    let looks = 0;
    let worker = 10;
    await listen(masterSocket, (line) => {
      if (line === 'reload') {
        worker = 11;
        return 'Success=1\n--\n';
      }
      looks++;
      return procs(0, worker);
    });
    const outcome = reload();
    await expect.poll(() => looks).toBeGreaterThan(1);
    await listen(workerSocket, () => info(worker));
    expect(await outcome).toMatchObject({ ok: true, worker: { worker_pid: 11 } });
  });

  it('has no verdict when a new worker never answers', async () => {
    await listen(masterSocket, (line) => (line === 'reload' ? 'Success=1\n--\n' : procs(1, 11)));
    expect(await reload(200)).toMatchObject({ ok: false, verdict: 'unknown' });
  });

  it('ends in time at a master that never ends its answer', async () => {
    const server = net.createServer({ allowHalfOpen: true }, (connection) => {
      connection.on('error', () => undefined);
      const timer = setInterval(() => connection.write('x'), 10);
      connection.on('close', () => clearInterval(timer));
    });
    server.listen(masterSocket);
    stop.push(async () => {
      server.close();
      await once(server, 'close');
    });
    const outcome = await reloadHaproxy({ masterSocket, workerSocket, former, timeoutMs: 300 });
    expect(outcome).toMatchObject({ ok: false, verdict: 'unknown' });
  });
});
