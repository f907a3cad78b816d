import { describe, expect, it } from 'vitest';
import { fuzzTargets } from '../../fixtures/fuzz/fuzz-targets.ts';
import type { Random } from '../../fixtures/fuzz/random.ts';
import { runFuzz } from '../../fixtures/fuzz/run-fuzz.ts';

/** The short form of `./dev soak fuzz`, which goes through a million inputs each. */
const inputs: Readonly<Record<string, number>> = {
  apply: 2_000,
  replies: 20_000,
  record: 20_000,
  blob: 2_000,
  outputs: 2_000,
  files: 20_000,
};

describe('damaged input', () => {
  it.each(Object.entries(fuzzTargets))(
    '%s: is refused or read, and nothing else happens',
    async (name, make) => {
      const target = await make();
      try {
        const { ends } = await runFuzz(target, { seed: 1, inputs: inputs[name] ?? 1_000 });
        // An input that is never let through proves nothing about what lies behind.
        expect(Object.keys(ends).length).toBeGreaterThan(1);
      } finally {
        await target.close?.();
      }
    },
  );

  it('comes again for the same seed and number', async () => {
    const seen = async (from: number) => {
      const numbers: number[] = [];
      const feed = (random: Random) => {
        numbers.push(random.int(1_000_000));
        return 'fed';
      };
      await runFuzz({ feed }, { seed: 5, from, inputs: 3 });
      return numbers;
    };
    const all = await seen(0);
    expect(new Set(all).size).toBe(3);
    expect((await seen(2))[0]).toBe(all[2]);
  });

  it('that makes a reader fail is named by its number', async () => {
    let count = 0;
    const feed = () => {
      if (++count === 8) throw new Error('boom');
      return 'fed';
    };
    await expect(runFuzz({ feed }, { seed: 3, inputs: 10 })).rejects.toThrow('input 7 of seed 3: boom');
  });
});
