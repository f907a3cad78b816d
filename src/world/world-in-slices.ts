import type { TemplateConfig } from '../api/template-config.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { layerGraph } from '../collections/layer-graph.ts';
import type { Collection } from '../collections/types.ts';
import type { Slices } from '../lib/slices.ts';
import { firstReads } from '../render/await-reads.ts';
import type { Renderer } from '../render/create-renderer.ts';
import { rendererInSlices } from '../render/renderer-in-slices.ts';
import { buildFacts, factOptionsOf, refuseFactsOnDemand } from './build-facts.ts';
import type { World, WorldGround, WorldOptions } from './build-world.ts';
import { httpWorldOf } from './http-world.ts';
import { createLiveStore } from './live-store.ts';

/** Milliseconds for which a first render waits for objects that are read on demand: without any coming, and in all. */
const firstReadsLimits = { idle: 10_000, total: 120_000 };

/**
 * Builds the graph for a configuration: stores → projections → fragments. What a store holds already is taken in by the next turn, in
 * slices. Given up half-way, it lets go of what it stands on.
 *
 * @throws CodedError `HAPTIC_ERR_TEMPLATE_*` with everything that is wrong with the templates
 */
export function* worldInSlices(options: WorldOptions): Slices<World> {
  const { config, constants, http, pods, shippedTemplates, profileClock, isPrepared } = options;
  const ground = options.ground ?? groundOf(config, constants);
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
  const rendererOf = (): Slices<Renderer> =>
    rendererInSlices({
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
      ...(shippedTemplates && { shippedTemplates }),
      ...(profileClock && { profileClock }),
      ...(isPrepared === undefined ? {} : { isPrepared }),
    });
  let renderer: Renderer | undefined;
  try {
    renderer = yield* rendererOf();
  } finally {
    // What is shared would be followed for ever by a configuration that there is not.
    if (renderer === undefined) letGo();
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
    waits: ground.facts.waits,
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

function groundOf(config: TemplateConfig, constants: WorldOptions['constants']): WorldGround {
  const { watchedResources } = config;
  refuseFactsOnDemand(watchedResources);
  const stores = new Map(Object.keys(watchedResources).map((name) => [name, createLiveStore(name)]));
  return { stores, facts: buildFacts(stores, factOptionsOf(config, constants)) };
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
