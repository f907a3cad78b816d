import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/protocol/plan.ts';
import { createPlanCache } from '../../../src/sinks/plan-cache.ts';
import { makePlan } from '../../fixtures/make-plan.ts';

const base = makePlan({ core: { global: 'global\n' } });
const plan = (id: string): Plan => ({ ...base, id });

describe('the plan cache', () => {
  it('keeps the newest plans and lets older ones go', () => {
    const cache = createPlanCache(2);
    for (const id of ['a', 'b', 'c']) cache.set(plan(id));
    expect(['a', 'b', 'c'].map((id) => cache.get(id)?.id)).toEqual([undefined, 'b', 'c']);
  });

  it('counts a plan that comes again as new', () => {
    const cache = createPlanCache(2);
    for (const id of ['a', 'b', 'a', 'c']) cache.set(plan(id));
    expect(['a', 'b', 'c'].map((id) => cache.get(id)?.id)).toEqual(['a', undefined, 'c']);
  });

  it('never lets a plan go that a pod is on, however old it is', () => {
    const cache = createPlanCache(1);
    cache.set(plan('a'));
    cache.hold('p', ['a', 'worker', '']);
    for (let i = 0; i < 100; i++) cache.set(plan(`n${i}`));
    expect(cache.get('a')?.id).toBe('a');
    expect(cache.size()).toBe(2);
  });

  it('lets it go when the last pod has moved on or is gone', () => {
    const cache = createPlanCache(1);
    cache.set(plan('a'));
    cache.hold('p', ['a']);
    cache.hold('q', ['a']);
    cache.set(plan('b'));
    cache.hold('p', ['b']);
    expect(cache.get('a')?.id).toBe('a');
    cache.retain((pod) => pod !== 'q');
    expect(cache.get('a')).toBeUndefined();
    expect(cache.get('b')?.id).toBe('b');
  });

  it('holds a plan for the pods that were said to be on it before it was known', () => {
    const cache = createPlanCache(1);
    cache.hold('p', ['a']);
    cache.set(plan('a'));
    cache.set(plan('b'));
    expect(cache.get('a')?.id).toBe('a');
  });

  it('always knows the plans of all pods and the newest one, and not more than it has to', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const step = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), id: fc.constantFrom(...ids) }),
      fc.record({
        kind: fc.constant('hold' as const),
        pod: fc.constantFrom('p', 'q', 'r'),
        ids: fc.subarray(ids, { maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant('leave' as const), pod: fc.constantFrom('p', 'q', 'r') }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const cache = createPlanCache(2);
        const held = new Map<string, readonly string[]>();
        for (const current of steps) {
          if (current.kind === 'set') cache.set(plan(current.id));
          else if (current.kind === 'leave') {
            held.delete(current.pod);
            cache.retain((pod) => held.has(pod));
          } else {
            // A pod is only ever brought to what is known.
            const known = current.ids.filter((id) => cache.get(id) !== undefined);
            held.set(current.pod, known);
            cache.hold(current.pod, known);
          }
          const wanted = new Set([...held.values()].flat());
          for (const id of wanted) expect(cache.get(id)?.id).toBe(id);
          if (current.kind === 'set') expect(cache.get(current.id)?.id).toBe(current.id);
          expect(cache.size()).toBeLessThanOrEqual(wanted.size + 2);
        }
      }),
    );
  });
});
