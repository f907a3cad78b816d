import type { Collection, Graph } from '../../collections/types.ts';
import type { BackendRef } from '../backend-ref.ts';
import { sharedOwner } from '../shared-owner.ts';
import type { IngressRoute } from './choose-route.ts';

/**
 * The Service ports that routes name, each once, by backend key. Which routes name it makes no difference to the entry,
 * so it stays as it is while any does.
 */
export function createBackendRefs(
  graph: Graph,
  routes: Collection<Pick<IngressRoute, 'ref' | 'backend' | 'owner'>>,
): Collection<BackendRef> {
  const byBackend = graph.groupEntriesBy(`${routes.name}.by-backend`, routes, ({ ref, backend }) =>
    ref === undefined ? undefined : backend,
  );
  return graph.mapEntries(`${routes.name}.backend-refs`, byBackend, ([first]) => first?.ref, {
    ownerOf: sharedOwner,
  });
}
