import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type OrphanGuard, startOrphanGuard } from '../../../src/sandbox/runtime/orphan-guard.ts';
import {
  type ProcessSpec,
  type ProcessState,
  supervise,
  type SupervisedProcess,
} from '../../../src/sandbox/runtime/supervise.ts';

let folder: string;
let guard: OrphanGuard;
const processes: SupervisedProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'haptic-processes-'));
  guard = startOrphanGuard(join(folder, 'guarded'));
});
afterEach(async () => {
  await Promise.all(processes.splice(0).map((process) => process.stop()));
  await guard.stop();
  rmSync(folder, { recursive: true, force: true });
});

const policy = { min: 1, max: 5, factor: 2, jitter: 0, resetAfter: 60_000 };

function run(script: string): SupervisedProcess {
  const spec: ProcessSpec = {
    name: 'it',
    command: '/bin/sh',
    args: ['-c', script],
    cwd: folder,
    env: { PATH: process.env['PATH'] },
    logFile: join(folder, 'it.log'),
  };
  const supervised = supervise(spec, guard, policy);
  processes.push(supervised);
  return supervised;
}

async function eventually<T>(what: string, check: () => T | undefined | false): Promise<T> {
  for (let i = 0; i < 2000; i++) {
    const value = check();
    if (value !== undefined && value !== false) return value;
    await sleep(10);
  }
  throw new Error(`never happened: ${what}`);
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    // A zombie still answers to signal 0.
    return !/^\d+ \(.*\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
const readPid = (file: string) => {
  const path = join(folder, file);
  const pid = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
  return pid > 0 ? pid : undefined;
};

describe('a supervised process', () => {
  test('is started again when it was killed, and says so', async () => {
    const it = run('sleep 600');
    const states: ProcessState[] = [];
    it.state$.subscribe((state) => states.push(state));
    const first = await eventually('it runs', () => it.pid());
    process.kill(first, 'SIGKILL');
    const second = await eventually('it runs again', () => (it.pid() === first ? undefined : it.pid()));
    expect(second).not.toBe(first);
    expect(it.restarts()).toBe(1);
    expect(states.map((state) => state.kind)).toStrictEqual(['running', 'waiting', 'running']);
    expect(states[1]).toMatchObject({ restarts: 0, delayMs: 1, lastExit: { code: null, signal: 'SIGKILL' } });
    expect(states[2]).toMatchObject({ pid: second, restarts: 1, lastExit: { signal: 'SIGKILL' } });
  });

  test('that keeps failing is tried later and later', async () => {
    const it = run('echo going down; exit 3');
    const delays: number[] = [];
    it.state$.subscribe((state) => {
      if (state.kind === 'waiting') delays.push(state.delayMs);
    });
    await eventually('five failures', () => delays.length >= 5);
    expect(delays.slice(0, 5)).toStrictEqual([1, 2, 4, 5, 5]);
    expect(readFileSync(join(folder, 'it.log'), 'utf8')).toContain('going down\ngoing down\n');
  });

  test('whose program does not exist waits like a failed one', async () => {
    const spec = {
      name: 'no',
      command: join(folder, 'no-such-program'),
      args: [],
      cwd: folder,
      env: {},
      logFile: join(folder, 'no.log'),
    };
    const it = supervise(spec, guard, policy);
    processes.push(it);
    await eventually('a restart', () => it.restarts() > 0);
    expect(it.pid()).toBeUndefined();
  });

  test('takes what it left in its group along before the next start', async () => {
    const it = run('sleep 600 & echo $! >child; wait');
    const child = await eventually('a child', () => readPid('child'));
    process.kill(await eventually('it runs', () => it.pid()), 'SIGKILL');
    await eventually('the child is gone', () => !isAlive(child));
  });

  test('stops for good, by SIGKILL when it does not listen', async () => {
    const it = run('trap "" TERM; echo $$ >self; while :; do sleep 0.05; done');
    const pid = await eventually('it runs', () => readPid('self'));
    const states: string[] = [];
    let completed = false;
    it.state$.subscribe({ next: (state) => states.push(state.kind), complete: () => (completed = true) });
    await it.stop(100);
    expect(isAlive(pid)).toBe(false);
    expect(states).toStrictEqual(['running', 'stopped']);
    expect(completed).toBe(true);
  });

  test('that waits for its next start can be stopped', async () => {
    const slow = { ...policy, min: 60_000, max: 60_000 };
    const spec = {
      name: 'x',
      command: '/bin/false',
      args: [],
      cwd: folder,
      env: {},
      logFile: join(folder, 'x.log'),
    };
    const it = supervise(spec, guard, slow);
    let state: ProcessState | undefined;
    it.state$.subscribe((next) => (state = next));
    await eventually('it waits', () => state?.kind === 'waiting');
    await it.stop();
    expect(state?.kind).toBe('stopped');
  });
});

describe('the orphan guard', () => {
  const launcher = `
    import { spawn } from 'node:child_process';
    import { startOrphanGuard } from ${JSON.stringify(join(import.meta.dirname, '../../../src/sandbox/runtime/orphan-guard.ts'))};
    const guard = startOrphanGuard(process.argv[2]);
    for (const script of ['sleep 600', 'trap "" TERM; while :; do sleep 0.05; done']) {
      const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore' });
      guard.add(child.pid);
      console.log(child.pid);
    }
    setInterval(() => {}, 1000);
  `;

  test('ends groups and removes the folder when its owner is killed outright', async () => {
    const file = join(folder, 'launcher.ts');
    const guarded = join(folder, 'left behind');
    writeFileSync(file, launcher);
    mkdirSync(guarded);
    writeFileSync(join(guarded, 'x'), '');
    const owner = spawn(process.execPath, [file, guarded], { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    owner.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const pids = await eventually('both children run', () => {
      const lines = printed.trim().split('\n').filter(Boolean);
      return lines.length === 2 ? lines.map(Number) : undefined;
    });
    expect(pids.every(isAlive)).toBe(true);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    await eventually('the children are gone', () => !pids.some(isAlive));
    await eventually('the folder is gone', () => !existsSync(guarded));
  });

  test('leaves a removed group alone', async () => {
    const child = spawn('/bin/sleep', ['600'], { detached: true, stdio: 'ignore' });
    guard.add(child.pid!);
    guard.remove(child.pid!);
    await guard.stop();
    expect(isAlive(child.pid!)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  test('can be stopped twice', async () => {
    await guard.stop();
    await guard.stop();
  });
});
