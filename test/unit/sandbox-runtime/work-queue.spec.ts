import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createWorkQueue } from '../../../src/sandbox/runtime/work-queue.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());

/** Long enough for work that was asked for to begin, and for what it asked for in turn. */
const turns = async () => {
  for (let i = 0; i < 4; i++) await turn();
};

function gate() {
  const open: (() => void)[] = [];
  return { wait: () => new Promise<void>((resolve) => open.push(resolve)), open };
}
const policy = { min: 100, max: 1000, factor: 2, jitter: 0, resetAfter: 0 };

describe('a work queue', () => {
  test('does a burst for one key once', async () => {
    const done: string[] = [];
    const queue = createWorkQueue({
      work: (key) => Promise.resolve(void done.push(key)),
      onError: () => undefined,
    });
    for (let i = 0; i < 100; i++) queue.add('a');
    queue.add('b');
    await queue.idle();
    // The first ask is one run, and what came while it was due is one more.
    expect(done).toStrictEqual(['a', 'b', 'a']);
  });

  test('lets the process breathe while work keeps asking for itself', async () => {
    let runs = 0;
    const queue = createWorkQueue({
      work: (key) => {
        runs++;
        queue.add(key);
        return Promise.resolve();
      },
      onError: () => undefined,
    });
    queue.add('a');
    for (let i = 0; i < 20; i++) await turn();
    expect(runs).toBeGreaterThan(1);
    await queue.stop();
  });

  test('runs a key again when it is asked for while it runs, and never twice at once', async () => {
    const { wait, open } = gate();
    let runs = 0;
    let inside = 0;
    const queue = createWorkQueue({
      work: async () => {
        runs++;
        expect(++inside).toBe(1);
        await wait();
        inside--;
      },
      onError: (_, error) => expect.fail(String(error)),
    });
    queue.add('a');
    await turns();
    queue.add('a');
    queue.add('a');
    open.shift()!();
    await turns();
    expect(runs).toBe(2);
    open.shift()!();
    await queue.idle();
    expect(runs).toBe(2);
  });

  test('does other keys while one hangs', async () => {
    const { wait } = gate();
    const done: string[] = [];
    const queue = createWorkQueue({
      work: async (key) => {
        if (key === 'slow') await wait();
        done.push(key);
      },
      onError: () => undefined,
    });
    queue.add('slow');
    queue.add('quick');
    await turns();
    expect(done).toStrictEqual(['quick']);
  });

  test('tries a failed key again, later each time, and tells of every failure', async () => {
    const errors: string[] = [];
    let left = 3;
    const queue = createWorkQueue({
      work: () => (left-- > 0 ? Promise.reject(new Error('no')) : Promise.resolve()),
      onError: (key, error) => errors.push(`${key}: ${String(error)}`),
      policy,
    });
    queue.add('a');
    await queue.idle();
    expect(errors).toHaveLength(1);
    for (const [delay, failures] of [
      [100, 2],
      [200, 3],
      [400, 3],
    ] as const) {
      await vi.advanceTimersByTimeAsync(delay - 1);
      await queue.idle();
      const before = left;
      await vi.advanceTimersByTimeAsync(1);
      await queue.idle();
      expect(left).toBe(before - 1);
      expect(errors).toHaveLength(failures);
    }
    expect(vi.getTimerCount()).toBe(0);
    expect(errors[0]).toBe('a: Error: no');
  });

  test('an ask between two tries takes the place of the second', async () => {
    let runs = 0;
    const queue = createWorkQueue({
      work: () => (++runs === 1 ? Promise.reject(new Error('no')) : Promise.resolve()),
      onError: () => undefined,
      policy,
    });
    queue.add('a');
    await queue.idle();
    queue.add('a');
    await queue.idle();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(runs).toBe(2);
  });

  test('stops: what runs is waited for, nothing is begun any more', async () => {
    const { wait, open } = gate();
    const begun: string[] = [];
    const queue = createWorkQueue({
      work: async (key) => {
        begun.push(key);
        if (key === 'bad') throw new Error('no');
        await wait();
      },
      onError: () => undefined,
      policy,
    });
    queue.add('bad');
    queue.add('a');
    await turns();
    queue.add('a');
    let stopped = false;
    const stop = queue.stop().then(() => (stopped = true));
    queue.add('b');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(stopped).toBe(false);
    open.shift()!();
    await stop;
    expect(begun).toStrictEqual(['bad', 'a']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
