import type { KubeObject } from '../api/kube-object.ts';
import { createGraph } from '../collections/create-graph.ts';
import { type OnDemandCache, createOnDemandCache } from '../collections/on-demand-cache.ts';
import type { Graph, SourceCollection } from '../collections/types.ts';

/** The objects of one watched kind, in a graph of their own: they outlive the configurations that look at them. */
export interface LiveStore {
  readonly graph: Graph;
  /** Objects; references to them where they are stored on demand. */
  readonly store: SourceCollection<KubeObject>;
  /** Objects that were read, where they are stored on demand. */
  readonly cache?: OnDemandCache<KubeObject>;
}

export interface OnDemandLimits {
  readonly cacheSize: number;
  readonly cacheTtlMs: number;
  /** Milliseconds, monotonic, never 0. */
  readonly now: () => number;
}

/**
 * @param name of the entry in `watchedResources`
 * @param onDemand where only references are watched
 */
export function createLiveStore(name: string, onDemand?: OnDemandLimits): LiveStore {
  const graph = createGraph();
  const store = graph.source<KubeObject>(name, { equal: isSameVersion });
  if (onDemand === undefined) return { graph, store };
  const cache = createOnDemandCache<KubeObject>(graph.source(`arrivals of ${name}`), {
    max: onDemand.cacheSize,
    ttl: onDemand.cacheTtlMs,
    now: onDemand.now,
    versionOf: ({ metadata }) => metadata.resourceVersion,
  });
  return { graph, store, cache };
}

/** The API gives every state of an object a version of its own, the same in all versions of its kind: contents need no comparing. */
function isSameVersion(a: KubeObject, b: KubeObject): boolean {
  const version = a.metadata.resourceVersion;
  return (
    a === b ||
    (version !== undefined &&
      version === b.metadata.resourceVersion &&
      a.metadata.uid === b.metadata.uid &&
      a.apiVersion === b.apiVersion)
  );
}
