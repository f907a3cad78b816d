import { createGraph } from '../../../src/collections/create-graph.ts';
import type { Collection, SourceCollection } from '../../../src/collections/types.ts';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { Problem } from '../../../src/lib/problem.ts';
import { formatOwner } from '../../../src/lib/owner.ts';
import {
  createIngressProjections,
  type IngressOptions,
  type IngressProjections,
} from '../../../src/projections/ingress/create-ingress-projections.ts';
import { objectKey } from '../../fixtures/kube-objects.ts';

/** Stores of the four kinds with the Ingress projections over them. */
export interface IngressWorld extends IngressProjections {
  /** Writes objects and finishes the turn. */
  readonly put: (...objects: KubeObject[]) => void;
  readonly remove: (...objects: KubeObject[]) => void;
  /** Routes as `group match path → backend`, in key order. */
  readonly routeLines: () => string[];
  /** Servers of a backend as `name address:port weight[ disabled]`. */
  readonly serverLines: (backend: string) => string[] | undefined;
  /** Problems as `Kind namespace/name reason field`, sorted. */
  readonly problemLines: () => string[];
  readonly problems: () => readonly Problem[];
  /** Everything that the projections say, for comparison. */
  readonly snapshot: () => unknown;
  /** Names of the collections of which something changed in the turns that `edit` makes, with the changed keys. */
  readonly changesOf: (edit: () => void) => Record<string, readonly string[]>;
  readonly mermaid: () => string;
}

export function createIngressWorld(
  objects: readonly KubeObject[] = [],
  options: IngressOptions & { readonly seed?: number } = {},
): IngressWorld {
  const { seed = 1, ...projectionOptions } = options;
  const graph = createGraph({ checkPurity: { seed } });
  const sources = {
    ingresses: graph.source<KubeObject>('ingresses'),
    ingressClasses: graph.source<KubeObject>('ingressclasses'),
    services: graph.source<KubeObject>('services'),
    endpointslices: graph.source<KubeObject>('endpointslices'),
  };
  const byKind: Readonly<Record<string, SourceCollection<KubeObject>>> = {
    Ingress: sources.ingresses,
    IngressClass: sources.ingressClasses,
    Service: sources.services,
    EndpointSlice: sources.endpointslices,
  };
  const projections = createIngressProjections(graph, sources, projectionOptions);
  const { hosts, routes, backends } = projections;
  const edit = (
    list: readonly KubeObject[],
    change: (to: SourceCollection<KubeObject>, o: KubeObject) => void,
  ) => {
    for (const object of list) change(byKind[object.kind!]!, object);
    graph.advance();
  };
  const problems = () => entries(graph.problems).map(([, problem]) => problem);
  const world: IngressWorld = {
    ...projections,
    put: (...list) => edit(list, (to, object) => to.set(objectKey(object), object)),
    remove: (...list) => edit(list, (to, object) => to.delete(objectKey(object))),
    routeLines: () => entries(routes).map(([key, { backend }]) => `${key} → ${backend}`),
    serverLines: (backend) =>
      backends
        .peek(backend)
        ?.servers.map(
          ({ name, address, port, weight, disabled }) =>
            `${name} ${address}:${port} ${weight}${disabled ? ' disabled' : ''}`,
        ),
    problemLines: () =>
      problems()
        .map(({ owner, reason, field }) => `${formatOwner(owner)} ${reason} ${field}`)
        .sort(),
    problems,
    snapshot: () => ({
      hosts: entries(hosts),
      routes: entries(routes),
      backends: entries(backends),
      problems: problems()
        .map((problem) => JSON.stringify(problem))
        .sort(),
    }),
    changesOf: (change) => {
      const changed: Record<string, string[]> = {};
      const subscriptions = [hosts, routes, backends].map((collection) =>
        (collection as Collection<unknown>).deltas$.subscribe((deltas) => {
          (changed[collection.name] ??= []).push(...deltas.map(({ key }) => key));
        }),
      );
      change();
      for (const subscription of subscriptions) subscription.unsubscribe();
      return changed;
    },
    mermaid: () => graph.toMermaid(),
  };
  world.put(...objects);
  return world;
}

function entries<V>(collection: Collection<V>): [string, V][] {
  return collection.keys().map((key) => [key, collection.peek(key)!]);
}
