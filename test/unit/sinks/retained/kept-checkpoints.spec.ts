import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keptCheckpoints } from '../../../../src/sinks/retained/kept-checkpoints.ts';

const configOf = (planID: string) => ({ name: `n-${planID}`, uid: `u-${planID}`, planID, checksum: 'c' });
const kept = (plans: readonly string[], podPlans: readonly string[]) =>
  keptCheckpoints(plans.map(configOf), new Set(podPlans)).map(({ planID }) => planID);

it('keeps the newest, its predecessor and what pods are on, in order', () => {
  expect(kept([], ['a'])).toEqual([]);
  expect(kept(['a', 'b', 'c'], [])).toEqual(['a', 'b']);
  expect(kept(['a', 'b', 'c', 'd'], ['d', 'x'])).toEqual(['a', 'b', 'd']);
  expect(kept(['b', 'a', 'b', 'c'], [])).toEqual(['b', 'a']);
});

it('keeps the newest whatever pods are on, each once, and never more than eight', () => {
  const plan = fc.constantFrom(...'abcdefghijklmnop'.split('').map((letter) => letter.repeat(2)));
  fc.assert(
    fc.property(fc.array(plan), fc.array(plan), (plans, podPlans) => {
      const result = kept(plans, podPlans);
      expect(new Set(result).size).toBe(result.length);
      expect(result.length).toBeLessThanOrEqual(8);
      expect(result[0]).toBe(plans[0]);
      for (const one of result.slice(2)) expect(podPlans).toContain(one);
    }),
  );
});
