import type { KubeObject } from '../../api/kube-object.ts';
import type { Collection, Graph } from '../../collections/types.ts';
import type { Owner } from '../../lib/owner.ts';
import { ownerOf } from '../owner-of.ts';
import { publishedKey, type PublishedAddress } from '../published-addresses.ts';

/** What the status of an Ingress should say once it is served. */
export interface IngressStatus {
  readonly apiVersion: string;
  readonly kind: 'Ingress';
  readonly namespace: string;
  readonly name: string;
  readonly status: { readonly loadBalancer: { readonly ingress: readonly PublishedAddress[] } };
  readonly owner: Owner;
}

/** One entry for each Ingress that is ours, under its key; none where there is no address to publish. */
export function createIngressStatuses(
  graph: Graph,
  selected: Collection<KubeObject>,
  addresses: Collection<readonly PublishedAddress[]>,
): Collection<IngressStatus> {
  return graph.mapEntries(
    'ingressStatuses',
    selected,
    (ingress, _key, reader) => {
      const published = reader.read(addresses, publishedKey);
      if (published === undefined) return undefined;
      const owner = ownerOf('Ingress', ingress);
      const { apiVersion = 'networking.k8s.io/v1' } = ingress;
      const { namespace, name } = owner;
      const status = { loadBalancer: { ingress: published } };
      return { apiVersion, kind: 'Ingress', namespace, name, status, owner };
    },
    { reads: [addresses], ownerOf: (ingress) => ownerOf('Ingress', ingress) },
  );
}
