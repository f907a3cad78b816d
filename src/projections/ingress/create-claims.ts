import type { KubeObject } from '../../api/kube-object.ts';
import type { Collection, Graph } from '../../collections/types.ts';
import { ownerOf } from '../owner-of.ts';
import { reportFor } from '../report-for.ts';
import type { Claim } from './claim.ts';
import type { ObjectSettings } from '../policies/create-policies.ts';
import { withOtherHosts } from './with-other-hosts.ts';
import { parseIngress } from './parse-ingress.ts';

/** What every selected Ingress asks for, one entry per path and default. */
export function createClaims(
  graph: Graph,
  ingresses: Collection<KubeObject>,
  settings: Collection<ObjectSettings>,
): Collection<Claim> {
  return graph.flatMapEntries(
    'ingress.claims',
    ingresses,
    (ingress, key, reader) => {
      const report = reportFor(ownerOf('Ingress', ingress), reader);
      const claims = withOtherHosts(
        parseIngress(ingress, report),
        reader.read(settings, key)?.fields ?? {},
        report,
      );
      return claims.map((claim) => [`${key} ${claim.position}`, claim] as const);
    },
    { reads: [settings], ownerOf: (ingress) => ownerOf('Ingress', ingress) },
  );
}
