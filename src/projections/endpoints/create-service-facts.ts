import type { KubeObject } from '../../api/kube-object.ts';
import type { Collection, Graph } from '../../collections/types.ts';
import { ownerOf } from '../owner-of.ts';
import type { ExternalNames } from './external-names.ts';
import { portProtocols } from './port-protocols.ts';
import type { ServiceFacts } from './service-facts.ts';
import { serviceShape } from './service-shape.ts';

/**
 * What Services ask of their backends, by `namespace/name`; none for those that ask for nothing.
 *
 * @param movesBackends whether backends are told apart by what is spoken with their servers
 */
export function createServiceFacts(
  graph: Graph,
  services: Collection<KubeObject>,
  {
    externalNames,
    movesBackends,
  }: { readonly externalNames: ExternalNames; readonly movesBackends: boolean },
): Collection<ServiceFacts> {
  return graph.mapEntries(
    'endpoints.service-facts',
    services,
    (service): ServiceFacts | undefined => {
      const shape = serviceShape(service, externalNames);
      const protocols = movesBackends ? portProtocols(service) : undefined;
      const speaks = protocols !== undefined && protocols.size > 0;
      if (shape === undefined && !speaks) return undefined;
      return { ...(shape && { shape }), ...(speaks && { protocols }) };
    },
    { ownerOf: (service) => ownerOf('Service', service) },
  );
}
