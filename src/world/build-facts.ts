import { factResources } from '../api/fact-resources.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { TemplateConfig } from '../api/template-config.ts';
import { layerGraph } from '../collections/layer-graph.ts';
import type { Collection, Graph } from '../collections/types.ts';
import { CodedError } from '../lib/coded-error.ts';
import { createIngressProjections } from '../projections/ingress/create-ingress-projections.ts';
import type { Publishing } from '../projections/published-addresses.ts';
import type { LiveStore } from './live-store.ts';

/**
 * Routes and backends are made of whole objects.
 *
 * @throws CodedError `HAPTIC_ERR_CONFIG_INVALID`, when such a kind is to be stored on demand
 */
export function refuseFactsOnDemand(watchedResources: TemplateConfig['watchedResources']): void {
  for (const name of factResources)
    if (watchedResources[name]?.store === 'on-demand')
      throw new CodedError(
        'HAPTIC_ERR_CONFIG_INVALID',
        `watchedResources.${name}.store: "on-demand" is not possible for ${name}, of which routes and backends are made; use "full"`,
      );
}

/** What the status of every Ingress should say of the way to HAProxy. */
export function publishingOf({ controller }: Pick<TemplateConfig, 'controller'>): Publishing {
  const { publishService: service, publishAddresses: addresses } = controller;
  return { ...(service && { service }), addresses };
}

/** What follows from stores whatever the templates say: the same for all configurations that watch and publish the same. */
export interface Facts {
  readonly graph: Graph;
  /** Under the names that templates use. */
  readonly collections: Readonly<
    Record<'hosts' | 'routes' | 'backends' | 'ingressStatuses', Collection<unknown>>
  >;
  readonly dispose: () => void;
}

/** Projections over stores. A kind that is not watched is an empty store, so that projections need not care. */
export function buildFacts(stores: ReadonlyMap<string, LiveStore>, publishing: Publishing): Facts {
  const watched = factResources.flatMap((name) => stores.get(name)?.graph ?? []);
  const { graph, above, dispose } = layerGraph(watched);
  const storeOf = (name: (typeof factResources)[number]): Collection<KubeObject> => {
    const live = stores.get(name);
    return live === undefined ? graph.source<KubeObject>(`unwatched ${name}`) : above(live.store);
  };
  const { hosts, routes, backends, ingressStatuses } = createIngressProjections(
    graph,
    {
      ingresses: storeOf('ingresses'),
      ingressClasses: storeOf('ingressclasses'),
      services: storeOf('services'),
      endpointslices: storeOf('endpointslices'),
    },
    { publishing },
  );
  return { graph, collections: { hosts, routes, backends, ingressStatuses }, dispose };
}
