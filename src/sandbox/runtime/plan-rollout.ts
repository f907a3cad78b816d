import { digest } from '../../lib/digest.ts';
import { canonicalJson } from './canonical-json.ts';
import type { Deployment, PodTemplate, ReplicaSet } from './kinds.ts';

export const templateHashLabel = 'pod-template-hash';
export const revisionAnnotation = 'deployment.kubernetes.io/revision';

export interface RolloutPlan {
  /** ReplicaSet of the present template, when there is none yet. */
  readonly create: ReplicaSet | undefined;
  /** ReplicaSets whose number of replicas is to change. */
  readonly scale: readonly { readonly set: ReplicaSet; readonly replicas: number }[];
  /** Old, empty ReplicaSets beyond the history limit. */
  readonly remove: readonly ReplicaSet[];
  /** Revision of the present template: a template that is taken up again counts as the newest. */
  readonly revision: number;
}

/**
 * One step of a Deployment towards its template and number of replicas, by the real controller's rules: never more than
 * `maxSurge` pods above the wish, never fewer available ones than `maxUnavailable` allows, `Recreate` ends the old pods
 * first. Called again after each change until it has nothing left to say.
 *
 * @param sets the ReplicaSets that this Deployment controls
 * @param podsOf how many pods of a ReplicaSet are there, those that end included
 */
export function planRollout(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  podsOf: (set: ReplicaSet) => number,
): RolloutPlan {
  const desired = deployment.spec.replicas ?? 1;
  const current = currentSet(deployment, sets);
  const old = sets.filter((set) => set !== current).sort((a, b) => revisionOf(a) - revisionOf(b));
  const newestOld = Math.max(0, ...old.map(revisionOf));
  const revision = Math.max(current === undefined ? 0 : revisionOf(current), newestOld + 1);
  const living = (set: ReplicaSet) => Math.max(replicasOf(set), podsOf(set));
  const rest = { remove: expired(old, living, deployment.spec.revisionHistoryLimit ?? 10), revision };
  if (deployment.spec.paused === true)
    return { create: undefined, scale: scaleTo(current, desired), ...rest };

  const wanted = currentReplicas(deployment, current, old, living);
  const grow = scaleTo(current, wanted);
  return {
    create: current === undefined ? newSet(deployment, wanted, revision) : undefined,
    scale: grow.length > 0 ? grow : scaleDownOld(deployment, current, old),
    ...rest,
  };
}

/** The ReplicaSet of the Deployment's present template, if it exists. */
export function currentSet(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  const hash = templateHash(deployment.spec.template);
  return sets.find((set) => set.metadata.labels?.[templateHashLabel] === hash);
}

export function revisionOf(set: ReplicaSet): number {
  return Number(set.metadata.annotations?.[revisionAnnotation] ?? 0);
}

function templateHash(template: PodTemplate): string {
  return digest(canonicalJson(template)).slice(0, 10);
}

function currentReplicas(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  living: (set: ReplicaSet) => number,
): number {
  const desired = deployment.spec.replicas ?? 1;
  const present = replicasOf(current);
  if (present >= desired) return desired;
  if (isRecreate(deployment)) return sum(old, living) > 0 ? present : desired;
  const room = desired + limitsOf(deployment).surge - present - sum(old, replicasOf);
  return Math.min(desired, present + Math.max(0, room));
}

function scaleDownOld(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): RolloutPlan['scale'] {
  if (isRecreate(deployment)) return old.flatMap((set) => scaleTo(set, 0));
  const minAvailable = (deployment.spec.replicas ?? 1) - limitsOf(deployment).unavailable;
  const starting = replicasOf(current) - availableOf(current);
  const all = [...old, ...(current === undefined ? [] : [current])];

  // Pods that serve nobody go first: taking them away costs no availability.
  const left = new Map(old.map((set) => [set, replicasOf(set)]));
  let spare = sum(all, replicasOf) - minAvailable - starting;
  for (const set of old) spare -= take(left, set, Math.min(spare, replicasOf(set) - availableOf(set)));
  spare = Math.min(spare, sum(all, availableOf) - minAvailable);
  for (const set of old) spare -= take(left, set, spare);
  return [...left].flatMap(([set, replicas]) => scaleTo(set, replicas));
}

function take(left: Map<ReplicaSet, number>, set: ReplicaSet, count: number): number {
  const present = left.get(set) ?? 0;
  const taken = Math.max(0, Math.min(present, count));
  left.set(set, present - taken);
  return taken;
}

function scaleTo(set: ReplicaSet | undefined, replicas: number): RolloutPlan['scale'] {
  return set === undefined || replicasOf(set) === replicas ? [] : [{ set, replicas }];
}

function expired(
  old: readonly ReplicaSet[],
  living: (set: ReplicaSet) => number,
  limit: number,
): readonly ReplicaSet[] {
  const empty = old.filter((set) => living(set) === 0);
  return empty.slice(0, Math.max(0, empty.length - limit));
}

function isRecreate(deployment: Deployment): boolean {
  return deployment.spec.strategy?.type === 'Recreate';
}

/** Surge rounds up, unavailable rounds down; when both come to nothing one pod may be unavailable. */
function limitsOf(deployment: Deployment): { surge: number; unavailable: number } {
  const desired = deployment.spec.replicas ?? 1;
  const { maxSurge = '25%', maxUnavailable = '25%' } = deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = Math.ceil(portion(maxSurge, desired));
  const unavailable = Math.floor(portion(maxUnavailable, desired));
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

function portion(value: number | string, of: number): number {
  if (typeof value === 'number') return value;
  return value.endsWith('%') ? (Number(value.slice(0, -1)) / 100) * of : Number(value);
}

function newSet(deployment: Deployment, replicas: number, revision: number): ReplicaSet {
  const { namespace = '', name, uid = '' } = deployment.metadata;
  const hash = templateHash(deployment.spec.template);
  const { template, selector } = deployment.spec;
  const labels = { ...template.metadata?.labels, [templateHashLabel]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      namespace,
      name: `${name}-${hash}`,
      labels,
      annotations: { [revisionAnnotation]: String(revision) },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: {
      replicas,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [templateHashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

function replicasOf(set: ReplicaSet | undefined): number {
  return set === undefined ? 0 : (set.spec.replicas ?? 1);
}

function availableOf(set: ReplicaSet | undefined): number {
  return set?.status?.availableReplicas ?? 0;
}

function sum<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((total, item) => total + valueOf(item), 0);
}
