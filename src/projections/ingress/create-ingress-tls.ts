import type { KubeObject } from '../../api/kube-object.ts';
import type { Collection, Graph } from '../../collections/types.ts';
import { ownerOf } from '../owner-of.ts';
import { reportFor } from '../report-for.ts';
import type { TlsUse } from '../tls/tls-use.ts';
import { parseIngressTls } from './parse-ingress-tls.ts';

/** What every selected Ingress says of certificates, one entry for each of its `spec.tls`. */
export function createIngressTls(graph: Graph, ingresses: Collection<KubeObject>): Collection<TlsUse> {
  return graph.flatMapEntries(
    'ingress.tls',
    ingresses,
    (ingress, key, reader) =>
      parseIngressTls(ingress, reportFor(ownerOf('Ingress', ingress), reader)).map(
        (use) => [`${key} ${use.position}`, use] as const,
      ),
    { ownerOf: (ingress) => ownerOf('Ingress', ingress) },
  );
}
