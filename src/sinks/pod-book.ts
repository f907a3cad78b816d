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

export function createPodBook(plans: PlanCache): PodBook {
  const known = new Map<string, PodKnowledge>();
  const suspects = new Set<string>();
  let highestEpoch = 0;

  const remember = (pod: HaproxyPod, knowledge: PodKnowledge): void => {
    const authority = authorityOf(pod);
    known.set(authority, knowledge);
    highestEpoch = Math.max(highestEpoch, knowledge.state.applied_token.leader_epoch);
    plans.hold(authority, planIdsOf(knowledge));
  };

  return {
    get: (pod) => known.get(authorityOf(pod)),
    learn: (pod, state) => {
      const knowledge = knowledgeFromState(state, asyncScheduler.now());
      remember(pod, knowledge);
      return knowledge;
    },
    remember,
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
