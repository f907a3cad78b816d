import { describe, expect, it } from 'vitest';
import { createTurningBuffers } from '../../../src/agent/files/turning-buffers.ts';

const kib = 1024;

describe('createTurningBuffers', () => {
  it('hands out the size that was asked for', () => {
    const { take } = createTurningBuffers();
    expect(take(0)).toHaveLength(0);
    expect(take(100 * kib)).toHaveLength(100 * kib);
  });

  it('goes on with two buffers, however often a slowly growing file changes', () => {
    const buffers = createTurningBuffers();
    const memory = new Set<ArrayBufferLike>();
    let held = buffers.take(100 * kib);
    for (let i = 0; i < 100; i++) {
      memory.add(held.buffer);
      const next = buffers.take(100 * kib + i);
      buffers.give(held);
      held = next;
    }
    expect(memory.size).toBe(2);
  });

  it('never hands out memory that was not given back', () => {
    const { take, give } = createTurningBuffers();
    const [first, second] = [take(64 * kib), take(64 * kib)];
    expect(second.buffer).not.toBe(first.buffer);
    give(first);
    const third = take(64 * kib);
    expect(third.buffer).toBe(first.buffer);
    expect(take(64 * kib).buffer).not.toBe(third.buffer);
  });

  it('hands out memory once that was given back twice', () => {
    const { take, give } = createTurningBuffers();
    const buffer = take(64 * kib);
    give(buffer);
    give(buffer);
    expect(take(64 * kib).buffer).not.toBe(take(64 * kib).buffer);
  });

  it('leaves buffers of others alone', () => {
    const { take, give } = createTurningBuffers();
    const foreign = Buffer.alloc(64 * kib);
    give(foreign);
    expect(take(64 * kib).buffer).not.toBe(foreign.buffer);
  });

  it('takes a new buffer where the former are too small, or larger than twice what is needed', () => {
    const { take, give } = createTurningBuffers();
    const small = take(10 * kib);
    const large = take(100 * kib);
    give(small);
    give(large);
    const middle = take(30 * kib);
    expect([small.buffer, large.buffer]).not.toContain(middle.buffer);
  });

  it('keeps no more than two that nobody uses', () => {
    const { take, give } = createTurningBuffers();
    const all = [1, 2, 3].map(() => take(64 * kib));
    for (const buffer of all) give(buffer);
    const again = [1, 2, 3].map(() => take(64 * kib).buffer);
    expect(again.filter((buffer) => all.some((one) => one.buffer === buffer))).toHaveLength(2);
  });
});
