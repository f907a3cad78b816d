import { describe, expect, it } from 'vitest';
import { createPlanCache } from '../../../src/sinks/plan-cache.ts';
import { createPodBook } from '../../../src/sinks/pod-book.ts';
import { podOf } from '../../fixtures/delivery-reports.ts';
import { planWith, stateOf } from '../../fixtures/fake-pod.ts';

const one = planWith('s1');
const [p, q] = [podOf('p'), podOf('q')];

function scene() {
  const plans = createPlanCache(1);
  plans.set(one);
  return { plans, book: createPodBook(plans), age: () => plans.set(planWith('newer')) };
}

describe('the pod book', () => {
  it('knows a pod by its authority: another one under its name or address begins unknown', () => {
    const { book } = scene();
    book.learn(p, stateOf(one));
    expect(book.get(p)?.applied_plan_id).toBe(one.id);
    for (const other of [
      { uid: 'x' },
      { containerId: 'x' },
      { haproxyContainerId: 'x' },
      { address: '10.0.0.9' },
      { port: 1 },
    ])
      expect(book.get({ ...p, ...other })).toBeUndefined();
  });

  it('keeps the plans that pods are on, also when what is known of a pod is forgotten', () => {
    const { plans, book, age } = scene();
    book.learn(p, stateOf(one));
    book.forget(p);
    age();
    expect(book.get(p)).toBeUndefined();
    expect(plans.get(one.id)).toBe(one);
  });

  it('keeps the plan of each role: on disk, run, and brought to the worker', () => {
    for (const role of ['applied_plan_id', 'running_plan_id', 'worker_ops_plan_id'] as const) {
      const { plans, book, age } = scene();
      book.learn(p, stateOf(undefined, { [role]: one.id }));
      age();
      expect(plans.get(one.id)).toBe(one);
    }
  });

  it('lets everything go of pods that are gone', () => {
    const { plans, book, age } = scene();
    for (const pod of [p, q]) {
      book.learn(pod, stateOf(one));
      book.suspect(pod, true);
    }
    book.retain([q]);
    expect([book.get(p), book.isSuspect(p)]).toEqual([undefined, false]);
    expect([book.get(q)?.applied_plan_id, book.isSuspect(q)]).toEqual([one.id, true]);
    book.retain([]);
    age();
    expect(plans.get(one.id)).toBeUndefined();
  });

  it('suspects a pod until it is told otherwise', () => {
    const { book } = scene();
    book.suspect(p, true);
    expect(book.isSuspect(p)).toBe(true);
    book.suspect(p, false);
    expect(book.isSuspect(p)).toBe(false);
  });

  it('tells the highest leader epoch that a pod was ever seen with', () => {
    const { book } = scene();
    expect(book.highestEpoch()).toBe(0);
    book.learn(p, stateOf(one, { applied_token: { leader_epoch: 7, render_seq: 1 } }));
    book.learn(q, stateOf(one, { applied_token: { leader_epoch: 4, render_seq: 1 } }));
    book.retain([q]);
    expect(book.highestEpoch()).toBe(7);
  });

  it('remembers what a worker has read, as long as it is that worker', () => {
    const { plans, book } = scene();
    const at = (pid: number, plan: typeof one) => {
      const state = stateOf(plan);
      return { ...state, haproxy: { ...state.haproxy, worker_pid: pid, worker_start_time_unix_micros: 1 } };
    };
    const two = planWith('s2');
    expect(book.learn(p, at(7, one)).loadedBy?.id).toBe(one.id);
    plans.set(two);
    // Changed at runtime, and asked again.
    expect(book.learn(p, at(7, two)).loadedBy?.id).toBe(one.id);
    book.forget(p);
    expect(book.learn(p, at(7, two)).loadedBy?.id).toBe(one.id);
    // Reloaded.
    expect(book.learn(p, at(8, two)).loadedBy?.id).toBe(two.id);
    expect(book.get(p)?.loadedBy?.profiles).toBe(two.profiles);
    // Of a worker on a plan that nobody knows nothing is known.
    expect(book.learn(p, at(9, planWith('unknown'))).loadedBy).toBeUndefined();
    plans.set(one);
    expect(book.learn(p, at(10, one)).loadedBy?.id).toBe(one.id);
    book.retain([]);
    plans.set(two);
    expect(book.learn(p, at(10, two)).loadedBy?.id).toBe(two.id);
  });
});
