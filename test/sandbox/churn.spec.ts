import { describe, expect, it } from 'vitest';
import { haproxyLines } from '../fixtures/haproxy-lines.ts';
import { runChurn } from '../fixtures/churn/run-churn.ts';

const { found } = haproxyLines();

describe('a fleet under constant load, while endpoints and routes change all the time', () => {
  it.runIf(found.length > 0)(
    'loses no request, and reloads for nothing but backends that HAProxy cannot change at runtime',
    async () => {
      const figures = await runChurn({
        lines: found,
        seconds: 12,
        rate: 25,
        load: 8,
        seed: 1,
        say: () => undefined,
      });
      expect(figures.load.failures).toEqual([]);
      expect(figures.load.failed).toBe(0);
      expect(figures.writes).toBeGreaterThan(100);
      for (const { line } of found) {
        const { kept = 0, fresh = 0, h2 = 0 } = figures.load.answered[line] ?? {};
        expect(Math.min(kept, fresh, h2), `requests through HAProxy ${line}`).toBeGreaterThan(20);
        expect(figures.pods[line], `HAProxy ${line}`).toMatchObject({ unexplained: [], failures: [] });
      }
      if (found.some(({ line }) => line === '3.4')) expect(figures.pods['3.4']?.reloads).toBe(0);
    },
    120_000,
  );
});
