import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffDelay, spread } from '../../../src/lib/backoff.ts';

const policy = { min: 100, max: 1000, factor: 2, jitter: 0.2, resetAfter: 5000 };

describe('backoffDelay', () => {
  it('grows by its factor up to its maximum', () => {
    expect([0, 1, 2, 3, 4, 5000].map((attempt) => backoffDelay(policy, attempt, 0.5))).toEqual([
      100, 200, 400, 800, 1000, 1000,
    ]);
  });

  it('stays within its jitter, whatever the attempt', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, random) => {
          const delay = backoffDelay(policy, attempt, random);
          expect(delay).toBeGreaterThanOrEqual(80);
          expect(delay).toBeLessThanOrEqual(1200);
        },
      ),
    );
  });
});

describe('spread', () => {
  it('varies either way by the share', () => {
    expect([spread(100, 0.2, 0), spread(100, 0.2, 0.5), spread(100, 0.2, 1), spread(100, 0, 0.9)]).toEqual([
      80, 100, 120, 100,
    ]);
  });
});
