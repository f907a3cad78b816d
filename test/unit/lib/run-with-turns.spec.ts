import { afterEach, describe, expect, it, vi } from 'vitest';
import { runWithTurns } from '../../../src/lib/run-with-turns.ts';
import type { Slices } from '../../../src/lib/slices.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A clock by which each slice takes a millisecond. */
function slowClock(): void {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now++);
}

function* count(to: number, ended: () => void = () => undefined): Slices<number> {
  try {
    for (let i = 0; i < to; i++) yield;
    return to;
  } finally {
    ended();
  }
}

describe('runWithTurns', () => {
  it('gives the event loop a turn whenever eight milliseconds are used up', async () => {
    slowClock();
    let turns = 0;
    const turn = (): void => {
      turns++;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    expect(await runWithTurns(count(80))).toBe(80);
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(9);
    expect(turns).toBeLessThanOrEqual(11);
  });

  it('takes none for a little work', async () => {
    let turned = false;
    const next = setImmediate(() => (turned = true));
    expect(await runWithTurns(count(0))).toBe(0);
    clearImmediate(next);
    expect(turned).toBe(false);
  });

  it('rejects with what the work throws', async () => {
    function* failing(): Slices<never> {
      yield;
      throw new Error('no');
    }
    await expect(runWithTurns(failing())).rejects.toThrow('no');
  });

  it('does nothing that is aborted beforehand, however little it is', async () => {
    let steps = 0;
    function* work() {
      steps++;
      yield;
      return 'done';
    }
    await expect(runWithTurns(work(), AbortSignal.abort())).rejects.toThrow('aborted');
    expect(steps).toBe(0);
  });

  it('lets the work clean up when it is aborted', async () => {
    slowClock();
    const abort = new AbortController();
    let ended = false;
    const running = runWithTurns(
      count(1_000_000, () => (ended = true)),
      abort.signal,
    );
    setImmediate(() => abort.abort());
    await expect(running).rejects.toThrow('aborted');
    expect(ended).toBe(true);
  });
});
