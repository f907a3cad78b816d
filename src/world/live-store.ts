import type { KubeObject } from '../api/kube-object.ts';
import { createGraph } from '../collections/create-graph.ts';
import type { Graph, SourceCollection } from '../collections/types.ts';

/** The objects of one watched kind, in a graph of their own: they outlive the configurations that look at them. */
export interface LiveStore {
  readonly graph: Graph;
  readonly store: SourceCollection<KubeObject>;
}

/** @param name of the entry in `watchedResources` */
export function createLiveStore(name: string): LiveStore {
  const graph = createGraph();
  return { graph, store: graph.source<KubeObject>(name, { equal: isSameVersion }) };
}

/** The API gives every state of an object a version of its own, so contents need no comparing. */
function isSameVersion(a: KubeObject, b: KubeObject): boolean {
  const version = a.metadata.resourceVersion;
  return (
    a === b ||
    (version !== undefined && version === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid)
  );
}
