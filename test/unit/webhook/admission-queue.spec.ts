import { describe, expect, it } from 'vitest';
import { createAdmissionQueue } from '../../../src/webhook/admission-queue.ts';

/** Work that ends when it is told to. */
function works() {
  const begun: string[] = [];
  const ends = new Map<string, (value: string) => void>();
  const work = (name: string) => (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      begun.push(name);
      ends.set(name, resolve);
      signal.addEventListener('abort', () => reject(new Error(`${name} was aborted`)));
    });
  return { begun, work, end: (name: string) => ends.get(name)?.(name) };
}

describe('a queue', () => {
  it('works on so many at once, in order of arrival', async () => {
    const queue = createAdmissionQueue({ concurrent: 2, waiting: 10 });
    const { begun, work, end } = works();
    const all = ['a', 'b', 'c', 'd'].map((name) => queue.run(work(name), 10_000));
    expect(begun).toEqual(['a', 'b']);
    expect(queue.size).toEqual({ running: 2, waiting: 2 });
    end('b');
    await all[1];
    await expect.poll(() => begun).toEqual(['a', 'b', 'c']);
    for (const name of ['a', 'c']) end(name);
    await expect.poll(() => begun).toEqual(['a', 'b', 'c', 'd']);
    end('d');
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
    expect(queue.size).toEqual({ running: 0, waiting: 0 });
  });

  it('gives up what waits too long, and does not begin it', async () => {
    const queue = createAdmissionQueue({ concurrent: 1, waiting: 10 });
    const { begun, work, end } = works();
    const first = queue.run(work('a'), 10_000);
    await expect(queue.run(work('b'), 20)).rejects.toMatchObject({ code: 'HAPTIC_ERR_WEBHOOK_OVERDUE' });
    end('a');
    expect(await first).toBe('a');
    expect(begun).toEqual(['a']);
  });

  it('aborts what takes too long, and goes on with the next', async () => {
    const queue = createAdmissionQueue({ concurrent: 1, waiting: 10 });
    const { work, end, begun } = works();
    const first = queue.run(work('a'), 20);
    const second = queue.run(work('b'), 10_000);
    await expect(first).rejects.toThrow('no answer within 20 ms');
    await expect.poll(() => begun).toEqual(['a', 'b']);
    end('b');
    expect(await second).toBe('b');
  });

  it('turns away what is one too many', async () => {
    const queue = createAdmissionQueue({ concurrent: 1, waiting: 1 });
    const { work, end, begun } = works();
    const accepted = [queue.run(work('a'), 10_000), queue.run(work('b'), 10_000)];
    await expect(queue.run(work('c'), 10_000)).rejects.toMatchObject({ code: 'HAPTIC_ERR_WEBHOOK_BUSY' });
    end('a');
    await expect.poll(() => begun).toEqual(['a', 'b']);
    end('b');
    expect(await Promise.all(accepted)).toEqual(['a', 'b']);
  });

  it('hands errors of the work on and frees its place', async () => {
    const queue = createAdmissionQueue({ concurrent: 1, waiting: 1 });
    await expect(queue.run(() => Promise.reject(new Error('broken')), 1_000)).rejects.toThrow('broken');
    expect(await queue.run(() => Promise.resolve('next'), 1_000)).toBe('next');
  });
});
