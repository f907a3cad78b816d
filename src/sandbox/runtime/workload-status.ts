import { canonicalJson } from './canonical-json.ts';
import {
  type Condition,
  type Deployment,
  isPodReady,
  isTerminating,
  type Pod,
  type ReplicaSet,
} from './kinds.ts';
import { currentSet } from './plan-rollout.ts';

/** A ReplicaSet's status by its pods; `undefined` when that is what it says already. */
export function replicaSetStatus(set: ReplicaSet, pods: readonly Pod[]): object | undefined {
  const living = pods.filter((pod) => !isTerminating(pod));
  const ready = living.filter(isPodReady).length;
  return changed(set.status, {
    observedGeneration: set.metadata.generation ?? 1,
    replicas: living.length,
    fullyLabeledReplicas: living.length,
    readyReplicas: ready,
    availableReplicas: ready,
  });
}

/**
 * A Deployment's status by its ReplicaSets, in the terms that `kubectl rollout status` and `kubectl wait` read;
 * `undefined` when that is what it says already. A condition keeps its times as long as its status stays.
 */
export function deploymentStatus(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  now: Date,
): object | undefined {
  const desired = deployment.spec.replicas ?? 1;
  const current = currentSet(deployment, sets);
  const count = (of: (set: ReplicaSet) => number) => sets.reduce((total, set) => total + of(set), 0);
  const replicas = count((set) => set.status?.replicas ?? 0);
  const ready = count((set) => set.status?.readyReplicas ?? 0);
  const available = count((set) => set.status?.availableReplicas ?? 0);
  const updated = current?.status?.replicas ?? 0;
  const complete = updated === desired && replicas === desired && available === desired;
  const conditions = [
    condition('Available', available >= desired ? 'True' : 'False', {
      reason: available >= desired ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
      message: `${available} of ${desired} replicas are available`,
    }),
    condition('Progressing', 'True', {
      reason: complete ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
      message: `${updated} of ${desired} replicas run the present template`,
    }),
  ].map((next) => withTimes(next, deployment.status?.conditions, now));
  return changed(deployment.status, {
    observedGeneration: deployment.metadata.generation ?? 1,
    replicas,
    updatedReplicas: updated,
    readyReplicas: ready,
    availableReplicas: available,
    unavailableReplicas: Math.max(0, desired - available),
    conditions,
  });
}

function condition(
  type: string,
  status: 'True' | 'False',
  why: { readonly reason: string; readonly message: string },
): Condition {
  return { type, status, ...why };
}

function withTimes(next: Condition, before: readonly Condition[] | undefined, now: Date): Condition {
  const old = before?.find((candidate) => candidate.type === next.type);
  const time = `${now.toISOString().slice(0, 19)}Z`;
  const same = old?.status === next.status && old.reason === next.reason && old.message === next.message;
  return {
    ...next,
    lastTransitionTime: old?.status === next.status ? (old.lastTransitionTime ?? time) : time,
    lastUpdateTime: same ? (old.lastUpdateTime ?? time) : time,
  };
}

function changed(before: object | undefined, next: object): object | undefined {
  return canonicalJson({ ...before, ...next }) === canonicalJson(before ?? {}) ? undefined : next;
}
