import type { Plan } from '../protocol/plan.ts';

/**
 * The plans that a diff may start from: those that pods hold or run, and the newest few. Bounded by the fleet, never by age: a plan
 * that some pod is on stays for as long as the pod is on it.
 */
export interface PlanCache {
  get(id: string): Plan | undefined;
  /** Keeps a plan for now: until so many newer ones came that nobody holds. */
  set(plan: Plan): void;
  /** What a pod is on now; ids that are not known are no matter. Replaces what was said of the pod before. */
  hold(pod: string, planIds: readonly string[]): void;
  /** Pods that are gone hold nothing. */
  retain(isPresent: (pod: string) => boolean): void;
  /** Plans in the cache. */
  size(): number;
}

interface Held {
  readonly plan: Plan;
  readonly pods: Set<string>;
}

export function createPlanCache(newest: number): PlanCache {
  const plans = new Map<string, Held>();
  const holding = new Map<string, ReadonlySet<string>>();
  /** Ids by age, the oldest first. */
  const recent = new Set<string>();

  const dropIfUnused = (id: string): void => {
    if (plans.get(id)?.pods.size === 0 && !recent.has(id)) plans.delete(id);
  };
  const hold = (pod: string, ids: ReadonlySet<string>): void => {
    const before = holding.get(pod) ?? new Set();
    for (const id of ids) plans.get(id)?.pods.add(pod);
    for (const id of before)
      if (!ids.has(id)) {
        plans.get(id)?.pods.delete(pod);
        dropIfUnused(id);
      }
    if (ids.size === 0) holding.delete(pod);
    else holding.set(pod, ids);
  };

  return {
    get: (id) => plans.get(id)?.plan,
    set: (plan) => {
      const known = plans.get(plan.id);
      // The newer object of the same content shares more structure with what is rendered next.
      plans.set(plan.id, { plan, pods: known?.pods ?? podsOn(plan.id) });
      recent.delete(plan.id);
      recent.add(plan.id);
      for (const oldest of recent) {
        if (recent.size <= newest) break;
        recent.delete(oldest);
        dropIfUnused(oldest);
      }
    },
    hold: (pod, planIds) => hold(pod, new Set(planIds.filter((id) => id !== ''))),
    retain: (isPresent) => {
      for (const pod of holding.keys()) if (!isPresent(pod)) hold(pod, new Set());
    },
    size: () => plans.size,
  };

  /** Pods may be on a plan before it is known, as after a restart of the controller. */
  function podsOn(id: string): Set<string> {
    return new Set([...holding].filter(([, ids]) => ids.has(id)).map(([pod]) => pod));
  }
}
