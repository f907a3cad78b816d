import type { KubeObject } from '../../api/kube-object.ts';
import type { Collection, Graph } from '../../collections/types.ts';
import { ownerOf } from '../owner-of.ts';
import { reportFor } from '../report-for.ts';
import type { Claim } from './claim.ts';
import { parseIngress } from './parse-ingress.ts';

/** What every selected Ingress asks for, one entry per path and default. */
export function createClaims(graph: Graph, ingresses: Collection<KubeObject>): Collection<Claim> {
  return graph.flatMapEntries(
    'ingress.claims',
    ingresses,
    (ingress, key, reader) => {
      const claims = parseIngress(ingress, reportFor(ownerOf('Ingress', ingress), reader));
      return claims.map((claim) => [`${key} ${claim.position}`, claim] as const);
    },
    { ownerOf: (ingress) => ownerOf('Ingress', ingress) },
  );
}
