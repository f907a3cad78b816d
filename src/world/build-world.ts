import type { KubeObject } from '../api/kube-object.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import { layerGraph } from '../collections/layer-graph.ts';
import type { Collection, Graph, SourceCollection } from '../collections/types.ts';
import { firstReads, type FirstReads } from '../render/await-reads.ts';
import { createRenderer, type Renderer, type RendererOptions } from '../render/create-renderer.ts';
import type { HttpMember } from '../streams/http-member.ts';
import { buildFacts, publishingOf, refuseFactsOnDemand, type Facts } from './build-facts.ts';
import { httpWorldOf } from './http-world.ts';
import { createLiveStore, type LiveStore } from './live-store.ts';

/** One configuration at work: its stores, the collections derived from them, and the renderer on top. */
export interface World {
  readonly config: TemplateConfig;
  /** All of it: its turns take in what changed in the stores, and a what-if of it takes edits of them. */
  readonly graph: Graph;
  /** The stores, by name in `watchedResources`. */
  readonly stores: ReadonlyMap<string, SourceCollection<KubeObject>>;
  readonly renderer: Renderer;
  /** Objects that the first render waits for. */
  readonly firstReads: FirstReads;
  /** The Secrets that are held. Asked between turns. */
  readonly secrets: () => Iterable<KubeObject>;
  /** Lets go of stores and facts, which may be those of other configurations too. */
  readonly dispose: () => void;
}

/** Stores and facts that outlive a configuration. */
export interface WorldGround {
  readonly stores: ReadonlyMap<string, LiveStore>;
  readonly facts: Facts;
}

export interface WorldOptions {
  readonly config: TemplateConfig;
  /** What templates may know besides `extraContext`: `capabilities`. */
  readonly constants: Readonly<Record<string, unknown>>;
  /** Default: stores and facts of its own, empty. */
  readonly ground?: WorldGround;
  /** Absent: `http` in templates is an error of the item. */
  readonly http?: WorldHttp;
  /** HAProxy's pods as templates see them, and the graph that they are of. Absent: there are none. */
  readonly pods?: { readonly graph: Graph; readonly collection: Collection<unknown> };
  /** See {@link RendererOptions.profileClock}. */
  readonly profileClock?: () => number;
}

/** What `http` reads in templates, and the graph that its contents are of. Fixtures need no more than that. */
export interface WorldHttp extends Partial<Pick<HttpMember, 'attach' | 'leave'>> {
  readonly graph: Graph;
  readonly reads: NonNullable<RendererOptions['http']>;
}

/** Milliseconds for which a first render waits for objects that are read on demand: without any coming, and in all. */
const firstReadsLimits = { idle: 10_000, total: 120_000 };

/**
 * Builds the graph for a configuration: stores → projections → fragments. What a store holds already is taken in by the next turn, in
 * slices.
 *
 * @throws CodedError `HAPTIC_ERR_TEMPLATE_*` with everything that is wrong with the templates
 */
export function buildWorld(options: WorldOptions): World {
  const { config, constants, http, pods, profileClock } = options;
  const ground = options.ground ?? groundOf(config);
  const stores = [...ground.stores];
  const { graph, above, dispose } = layerGraph([
    ground.facts.graph,
    ...stores.map(([, live]) => live.graph),
    ...(http === undefined ? [] : [http.graph]),
    ...(pods === undefined ? [] : [pods.graph]),
  ]);
  const lifted = <V>(collections: readonly (readonly [string, Collection<V>])[]) =>
    lazily(collections, (collection) => above(collection));
  const letGo = (): void => {
    dispose();
    if (options.ground === undefined) ground.facts.dispose();
  };
  const rendererOf = (): Renderer =>
    createRenderer({
      graph,
      config,
      resources: lifted(stores.map(([name, { store }]) => [name, store] as const)),
      collections: lifted(Object.entries(ground.facts.collections)),
      onDemand: Object.fromEntries(
        stores.flatMap(([name, { cache }]) =>
          cache === undefined ? [] : [[name, { arrivals: above(cache.arrivals), cache }] as const],
        ),
      ),
      constants,
      ...(http && { http: { ...http.reads, contents: above(http.reads.contents) } }),
      ...(pods && { pods: above(pods.collection) }),
      ...(profileClock && { profileClock }),
    });
  let renderer: Renderer;
  try {
    renderer = rendererOf();
  } catch (error) {
    // What is shared would be followed for ever by a configuration that there is not.
    letGo();
    throw error;
  }
  http?.attach?.(httpWorldOf(graph, renderer, above(http.reads.contents)));
  return {
    config,
    graph,
    stores: new Map(stores.map(([name, { store }]) => [name, store])),
    renderer,
    firstReads: firstReads(
      stores.flatMap(([, { cache }]) => cache ?? []),
      firstReadsLimits,
    ),
    secrets: () => heldSecrets(config, ground.stores),
    dispose: () => {
      http?.leave?.();
      renderer.dispose();
      letGo();
    },
  };
}

function* heldSecrets(
  { watchedResources }: TemplateConfig,
  stores: WorldGround['stores'],
): Iterable<KubeObject> {
  for (const [name, { store, cache }] of stores) {
    if (watchedResources[name]?.resources !== 'secrets') continue;
    if (cache !== undefined) yield* cache.held();
    else for (const key of store.keys()) yield* [store.peek(key)].filter((object) => object !== undefined);
  }
}

function groundOf(config: TemplateConfig): WorldGround {
  const { watchedResources } = config;
  refuseFactsOnDemand(watchedResources);
  const stores = new Map(Object.keys(watchedResources).map((name) => [name, createLiveStore(name)]));
  return { stores, facts: buildFacts(stores, publishingOf(config)) };
}

/** Copies of what templates do not look at would cost memory for nothing. */
function lazily<V>(
  collections: readonly (readonly [string, Collection<V>])[],
  lift: (collection: Collection<V>) => Collection<V>,
): Readonly<Record<string, Collection<V>>> {
  const record: Record<string, Collection<V>> = {};
  for (const [name, collection] of collections)
    Object.defineProperty(record, name, { get: () => lift(collection), enumerable: true });
  return record;
}
