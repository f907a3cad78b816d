import type { Collection, Graph } from '../../collections/types.ts';
import type { JwtKey, Profile, UserList } from '../model.ts';
import type { PolicySecrets } from './create-policy-secrets.ts';

/**
 * Lists of users and keys that a profile names. Others would be in the configuration for nobody, however many an object after the other names.
 *
 * @param profiles those that backends have
 */
export function keepUsed(
  graph: Graph,
  profiles: Collection<Profile>,
  { userLists, jwtKeys }: Pick<PolicySecrets, 'userLists' | 'jwtKeys'>,
): Pick<PolicySecrets, 'userLists' | 'jwtKeys'> {
  const byList = graph.groupEntriesBy('profiles.by-user-list', profiles, ({ shape }) =>
    textOf(shape['authSecret']),
  );
  const byKeys = graph.groupEntriesBy('profiles.by-jwt-keys', profiles, ({ shape }) => {
    const secret = textOf(shape['jwtSecret']);
    return secret && `${secret}_${textOf(shape['jwtAlgorithm']) ?? 'RS256'}`;
  });
  return {
    userLists: graph.mapEntries(
      'userLists',
      userLists,
      (list, name, reader): UserList | undefined => (reader.read(byList, name) ? list : undefined),
      { reads: [byList], ownerOf: ({ owner }) => owner },
    ),
    jwtKeys: graph.mapEntries(
      'jwtKeys',
      jwtKeys,
      (key, _name, reader): JwtKey | undefined => (reader.read(byKeys, key.set) ? key : undefined),
      { reads: [byKeys], ownerOf: ({ owner }) => owner },
    ),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
