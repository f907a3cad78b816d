import type { Collection, Graph } from '../../collections/types.ts';
import type { BackendRef } from '../backend-ref.ts';
import type { IngressRoute } from './choose-route.ts';

/** The Service ports that routes name, each once, by backend key. Equal whichever route it came from, so it stays put. */
export function createBackendRefs(graph: Graph, routes: Collection<IngressRoute>): Collection<BackendRef> {
  return graph.flatMapEntries(
    'ingress.backend-refs',
    routes,
    ({ backend, ref }) => (ref === undefined ? [] : [[backend, ref] as const]),
    { ownerOf: (route) => route.owner },
  );
}
