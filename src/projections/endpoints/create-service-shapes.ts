import type { KubeObject } from '../../api/kube-object.ts';
import type { Collection, Graph } from '../../collections/types.ts';
import { ownerOf } from '../owner-of.ts';
import type { PolicyShape } from '../policies/policy-shape.ts';
import type { ExternalNames } from './external-names.ts';
import { serviceShape } from './service-shape.ts';

/** What Services ask of the profiles of their backends, by `namespace/name`; none for those that ask for nothing. */
export function createServiceShapes(
  graph: Graph,
  services: Collection<KubeObject>,
  externalNames: ExternalNames,
): Collection<PolicyShape> {
  return graph.mapEntries(
    'endpoints.service-shapes',
    services,
    (service) => serviceShape(service, externalNames),
    { ownerOf: (service) => ownerOf('Service', service) },
  );
}
