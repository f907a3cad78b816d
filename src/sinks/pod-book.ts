import { asyncScheduler } from 'rxjs';
import { authorityOf, type HaproxyPod } from '../protocol/pod.ts';
import type { AgentState } from '../protocol/wire.ts';
import type { PlanCache } from './plan-cache.ts';
import { knowledgeFromState, type PodKnowledge } from './pod-knowledge.ts';

/**
 * What is known of every pod, by authority: a pod that was replaced under its name or address begins unknown. Bounded by the fleet,
 * as far as `retain` is told of it. Tells the plan cache which plans pods are on.
 */
export interface PodBook {
  get(pod: HaproxyPod): PodKnowledge | undefined;
  /** Takes the pod's own answer as known. */
  learn(pod: HaproxyPod, state: AgentState): PodKnowledge;
  remember(pod: HaproxyPod, knowledge: PodKnowledge): void;
  /** Nothing of it is believed any more. Its plans stay in the cache: it is on one of them. */
  forget(pod: HaproxyPod): void;
  /**
   * An apply of these plans leaves: nothing of the pod is believed any more, and it may be on any of them or still on those it was on. They
   * stay in the cache until its next answer, however many newer plans come meanwhile.
   */
  sending(pod: HaproxyPod, planIds: readonly string[]): void;
  /** A pod that did not answer in time is suspected of being slow. */
  suspect(pod: HaproxyPod, isSuspect: boolean): void;
  isSuspect(pod: HaproxyPod): boolean;
  /** Highest leader epoch that any pod was ever said to have seen; 0: none. */
  readonly highestEpoch: () => number;
  /** Everything about other pods goes. */
  retain(pods: readonly HaproxyPod[]): void;
}

/** A process of HAProxy, and what it is known to have read. */
interface Worker {
  readonly identity: string;
  readonly loadedBy: PodKnowledge['loadedBy'];
}

export function createPodBook(plans: PlanCache): PodBook {
  const known = new Map<string, PodKnowledge>();
  const suspects = new Set<string>();
  const workers = new Map<string, Worker>();
  let highestEpoch = 0;

  const remember = (pod: HaproxyPod, given: PodKnowledge): PodKnowledge => {
    const authority = authorityOf(pod);
    const { loadedBy: _former, ...answer } = given;
    const loadedBy = loadedIn(authority, answer);
    const knowledge = { ...answer, ...(loadedBy && { loadedBy }) };
    known.set(authority, knowledge);
    highestEpoch = Math.max(highestEpoch, knowledge.state.applied_token.leader_epoch);
    plans.hold(authority, planIdsOf(knowledge));
    return knowledge;
  };

  /** Changes at runtime add no profiles: the first plan that is known of a worker has all that later ones have. */
  const loadedIn = (authority: string, { state, worker_ops_plan_id }: PodKnowledge): Worker['loadedBy'] => {
    const { worker_pid: pid, worker_start_time_unix_micros: start } = state.haproxy;
    const identity = `${pid} ${start}`;
    if (workers.get(authority)?.identity !== identity) {
      const plan = plans.get(worker_ops_plan_id);
      if (plan === undefined || pid === 0) workers.delete(authority);
      else workers.set(authority, { identity, loadedBy: { id: plan.id, profiles: plan.profiles } });
    }
    return workers.get(authority)?.loadedBy;
  };

  return {
    get: (pod) => known.get(authorityOf(pod)),
    learn: (pod, state) => remember(pod, knowledgeFromState(state, asyncScheduler.now())),
    remember: (pod, knowledge) => void remember(pod, knowledge),
    forget: (pod) => void known.delete(authorityOf(pod)),
    sending: (pod, planIds) => {
      const authority = authorityOf(pod);
      const before = known.get(authority);
      known.delete(authority);
      plans.hold(authority, [...(before === undefined ? [] : planIdsOf(before)), ...planIds]);
    },
    suspect: (pod, isSuspect) => {
      if (isSuspect) suspects.add(authorityOf(pod));
      else suspects.delete(authorityOf(pod));
    },
    isSuspect: (pod) => suspects.has(authorityOf(pod)),
    highestEpoch: () => highestEpoch,
    retain: (pods) => {
      const present = new Set(pods.map(authorityOf));
      for (const authority of known.keys()) if (!present.has(authority)) known.delete(authority);
      for (const authority of workers.keys()) if (!present.has(authority)) workers.delete(authority);
      for (const authority of suspects) if (!present.has(authority)) suspects.delete(authority);
      plans.retain((authority) => present.has(authority));
    },
  };
}

function planIdsOf({
  applied_plan_id,
  running_plan_id,
  worker_ops_plan_id,
}: PodKnowledge): readonly string[] {
  return [applied_plan_id, running_plan_id, worker_ops_plan_id];
}
