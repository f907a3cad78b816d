import {
  controllerUid,
  type Deployment,
  isPodReady,
  isTerminating,
  type Pod,
  type ReplicaSet,
} from './kinds.ts';
import { cacheObjects, keyOf } from './object-cache.ts';
import { type ObjectClient, refOf } from './object-client.ts';
import { currentSet, planRollout, revisionAnnotation } from './plan-rollout.ts';
import { deploymentStatus, replicaSetStatus } from './workload-status.ts';
import { createWorkQueue } from './work-queue.ts';

export interface Workloads {
  readonly stop: () => Promise<void>;
}

export interface WorkloadOptions {
  readonly client: ObjectClient;
  /** The node that made pods are bound to. */
  readonly nodeName: string;
  readonly now: () => Date;
  readonly randomSuffix: () => string;
  readonly onError: (what: string, error: unknown) => void;
}

/** The controllers of Deployments and ReplicaSets: pods come and go, and both kinds' status tells how far it is. */
export function runWorkloads(options: WorkloadOptions): Workloads {
  const { client, onError } = options;
  const deploymentQueue = createWorkQueue({
    work: syncDeployment,
    onError: (key, error) => onError(`Deployment ${key}`, error),
  });
  const setQueue = createWorkQueue({
    work: syncReplicaSet,
    onError: (key, error) => onError(`ReplicaSet ${key}`, error),
  });
  const deployments = cacheObjects<Deployment>(client, 'apps/v1', 'Deployment', ({ object }) =>
    deploymentQueue.add(keyOf(object)),
  );
  const sets = cacheObjects<ReplicaSet>(client, 'apps/v1', 'ReplicaSet', ({ object }) => {
    setQueue.add(keyOf(object));
    addOwner(object, 'Deployment', deploymentQueue.add);
  });
  const pods = cacheObjects<Pod>(client, 'v1', 'Pod', ({ type, object }) => {
    addOwner(object, 'ReplicaSet', (key) => {
      setQueue.add(key);
      const set = sets.get(key);
      // A ReplicaSet's status does not tell of pods that end, but a Recreate waits for them.
      if (type === 'DELETED' && set !== undefined) addOwner(set, 'Deployment', deploymentQueue.add);
    });
  });

  const podsOf = (set: ReplicaSet) =>
    pods.inNamespace(set.metadata.namespace ?? '').filter((pod) => controllerUid(pod) === set.metadata.uid);

  async function syncDeployment(key: string): Promise<void> {
    const deployment = deployments.get(key);
    if (deployment === undefined || isTerminating(deployment)) return;
    const own = sets
      .inNamespace(deployment.metadata.namespace ?? '')
      .filter((set) => controllerUid(set) === deployment.metadata.uid);
    const plan = planRollout(deployment, own, (set) => podsOf(set).length);
    if (plan.create !== undefined) await client.create(plan.create);
    for (const { set, replicas } of plan.scale) await client.merge(refOf(set), { spec: { replicas } });
    for (const set of plan.remove) await client.remove(refOf(set));
    const current = currentSet(deployment, own);
    const revision = { metadata: { annotations: { [revisionAnnotation]: String(plan.revision) } } };
    for (const object of [deployment, ...(current === undefined ? [] : [current])])
      if (object.metadata.annotations?.[revisionAnnotation] !== String(plan.revision))
        await client.merge(refOf(object), revision);
    const status = deploymentStatus(deployment, own, options.now());
    if (status !== undefined) await client.merge(refOf(deployment), { status }, 'status');
  }

  async function syncReplicaSet(key: string): Promise<void> {
    const set = sets.get(key);
    if (set === undefined || isTerminating(set)) return;
    const living = podsOf(set).filter((pod) => !isTerminating(pod));
    const missing = (set.spec.replicas ?? 1) - living.length;
    const made = Array.from({ length: Math.max(0, missing) }, () => newPod(set));
    await Promise.all(made.map((pod) => client.create(pod)));
    const surplus = living.sort(sickAndYoungFirst).slice(0, Math.max(0, -missing));
    await Promise.all(surplus.map((pod) => client.remove(refOf(pod))));
    const status = replicaSetStatus(set, podsOf(set));
    if (status !== undefined) await client.merge(refOf(set), { status }, 'status');
  }

  function newPod(set: ReplicaSet): Pod {
    const { namespace = '', name, uid = '' } = set.metadata;
    const { metadata, spec } = set.spec.template;
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...metadata,
        namespace,
        name: `${name}-${options.randomSuffix()}`,
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            name,
            uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { ...spec, nodeName: options.nodeName },
    };
  }

  return {
    stop: async () => {
      for (const cache of [deployments, sets, pods]) cache.stop();
      await Promise.all([deploymentQueue.stop(), setQueue.stop()]);
    },
  };
}

function addOwner(object: Pod | ReplicaSet, kind: string, add: (key: string) => void): void {
  const owner = object.metadata.ownerReferences?.find((o) => o.controller === true && o.kind === kind);
  if (owner !== undefined) add(`${object.metadata.namespace ?? ''}/${owner.name}`);
}

function sickAndYoungFirst(a: Pod, b: Pod): number {
  const sick = Number(isPodReady(a)) - Number(isPodReady(b));
  if (sick !== 0) return sick;
  const [ageA, ageB] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  return ageA > ageB ? -1 : ageA < ageB ? 1 : 0;
}
