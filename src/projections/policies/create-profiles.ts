import type { Collection, Graph } from '../../collections/types.ts';
import type { BackendRef } from '../backend-ref.ts';
import type { Profile } from '../model.ts';
import { restrictingTopics } from './restricting-topics.ts';

/** The profiles that backends have, by name: a shape that several use is one entry, which goes with the last of them. */
export function createProfiles(graph: Graph, refs: Collection<BackendRef>): Collection<Profile> {
  const byProfile = graph.groupEntriesBy('refs-by-profile', refs, ({ profile }) => profile?.name);
  return graph.mapEntries(
    'profiles',
    byProfile,
    ([first], name) =>
      first?.profile && {
        ...first.profile,
        restricting: restrictingTopics(first.profile.shape),
        owner: first.snippetOf ?? { kind: 'Profile', namespace: '', name },
      },
  );
}
