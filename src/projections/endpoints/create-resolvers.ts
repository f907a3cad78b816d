import type { Collection, Graph } from '../../collections/types.ts';
import type { AddressRule, Profile, Resolver } from '../model.ts';

/** The resolver that profiles of external names ask: there as long as there is such a profile. */
export function createResolvers(
  graph: Graph,
  profiles: Collection<Profile>,
  rules: readonly AddressRule[],
): Collection<Resolver> {
  const byResolver = graph.groupEntriesBy('endpoints.profiles-by-resolver', profiles, ({ shape }) =>
    shape['external'] === true ? 'haptic' : undefined,
  );
  return graph.mapEntries('resolvers', byResolver, (_profiles, name) => ({
    name,
    rules,
    owner: { kind: 'Resolver', namespace: '', name },
  }));
}
