import { createGraph } from '../collections/create-graph.ts';
import type { Graph, SourceCollection } from '../collections/types.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import { createIngressProjections } from '../projections/ingress/create-ingress-projections.ts';
import { createRenderer, type Renderer } from '../render/create-renderer.ts';

/** One configuration at work: its stores, the collections derived from them, and the renderer on top. */
export interface World {
  readonly config: TemplateConfig;
  readonly graph: Graph;
  /** The stores, by name in `watchedResources`. */
  readonly stores: ReadonlyMap<string, SourceCollection<KubeObject>>;
  readonly renderer: Renderer;
}

export interface WorldOptions {
  readonly config: TemplateConfig;
  /** What templates may know besides `extraContext`: `capabilities`. */
  readonly constants: Readonly<Record<string, unknown>>;
}

/**
 * Builds the graph for a configuration: stores → projections → fragments. A kind that the configuration does not watch is
 * an empty store, so that projections need not care.
 *
 * @throws CodedError `HAPTIC_ERR_TEMPLATE_*` with everything that is wrong with the templates
 */
export function buildWorld({ config, constants }: WorldOptions): World {
  const graph = createGraph();
  const stores = new Map(
    Object.keys(config.watchedResources).map((name) => [
      name,
      graph.source<KubeObject>(name, { equal: isSameVersion }),
    ]),
  );
  const storeOf = (name: string): SourceCollection<KubeObject> =>
    stores.get(name) ?? graph.source<KubeObject>(`unwatched ${name}`);
  const { hosts, routes, backends } = createIngressProjections(graph, {
    ingresses: storeOf('ingresses'),
    ingressClasses: storeOf('ingressclasses'),
    services: storeOf('services'),
    endpointslices: storeOf('endpointslices'),
  });
  const renderer = createRenderer({
    graph,
    config,
    resources: Object.fromEntries(stores),
    collections: { hosts, routes, backends },
    constants,
  });
  return { config, graph, stores, renderer };
}

/** The API gives every state of an object a version of its own, so contents need no comparing. */
function isSameVersion(a: KubeObject, b: KubeObject): boolean {
  const version = a.metadata.resourceVersion;
  return (
    a === b ||
    (version !== undefined && version === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid)
  );
}
