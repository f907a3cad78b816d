import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/protocol/plan.ts';
import type { HaproxyPod } from '../../../src/protocol/pod.ts';
import { createPlanCache } from '../../../src/sinks/plan-cache.ts';
import { createPodBook } from '../../../src/sinks/pod-book.ts';
import type { PodKnowledge } from '../../../src/sinks/pod-knowledge.ts';
import { makePlan } from '../../fixtures/make-plan.ts';

const base = makePlan({ core: { global: 'global\n' } });
const plan = (id: string): Plan => ({ ...base, id });
const pod: HaproxyPod = { key: 'ns/p', uid: 'u', address: '10.0.0.1', port: 5555, containerId: 'c' };
const on = (applied: string, worker = applied) =>
  ({ applied_plan_id: applied, running_plan_id: applied, worker_ops_plan_id: worker }) as PodKnowledge;

function scene() {
  const plans = createPlanCache(2);
  const book = createPodBook(plans);
  const set = (...ids: string[]) => ids.forEach((id) => plans.set(plan(id)));
  /** Many newer plans, as other pods are delivered to meanwhile. */
  const newer = () => set(...Array.from({ length: 20 }, (_, i) => `newer-${i}`));
  const known = (...ids: string[]) => ids.filter((id) => plans.get(id) !== undefined);
  return { plans, book, set, newer, known };
}

describe('the book of pods', () => {
  it('keeps what a pod is on, however many plans come', () => {
    const { book, set, newer, known } = scene();
    set('a', 'derived');
    book.remember(pod, on('a', 'derived'));
    newer();
    expect(known('a', 'derived')).toEqual(['a', 'derived']);
  });

  it('keeps what is on its way to a pod, and what the pod was on, until it answers', () => {
    const { book, set, newer, known } = scene();
    set('a');
    book.remember(pod, on('a'));
    set('b', 'derived');
    book.sending(pod, ['b', 'derived']);
    expect(book.get(pod)).toBeUndefined();
    newer();
    expect(known('a', 'b', 'derived')).toEqual(['a', 'b', 'derived']);
    book.remember(pod, on('b', 'derived'));
    expect(known('a', 'b', 'derived')).toEqual(['b', 'derived']);
  });

  it('keeps them while nothing is heard, and lets them go with the pod', () => {
    const { book, set, newer, known } = scene();
    set('a');
    book.sending(pod, ['a']);
    book.forget(pod);
    newer();
    expect(known('a')).toEqual(['a']);
    book.retain([]);
    expect(known('a')).toEqual([]);
  });

  it('believes nothing of a pod that was replaced under its name', () => {
    const { book, set } = scene();
    set('a');
    book.remember(pod, on('a'));
    expect(book.get({ ...pod, uid: 'other' })).toBeUndefined();
    expect(book.get({ ...pod, containerId: 'other' })).toBeUndefined();
    expect(book.get(pod)).toEqual(on('a'));
  });
});
