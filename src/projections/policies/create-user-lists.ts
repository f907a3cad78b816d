import type { Collection, Graph } from '../../collections/types.ts';
import type { UserList } from '../model.ts';
import { readSecret } from '../tls/read-secret.ts';
import { secretKey } from '../tls/secret-key.ts';
import type { SecretRef } from '../tls/secret-ref.ts';
import type { SecretSource } from '../tls/secret-source.ts';
import type { Parsed } from '../parsed.ts';
import { annotationField } from './annotation-field.ts';
import type { ObjectSettings } from './create-policies.ts';
import { parsePasswordList, type PasswordListContent } from './parse-password-list.ts';
import { userListName } from './user-list-name.ts';

/**
 * The Secrets that say who may get in, each read and parsed once. There is a list for each that is named, whatever it holds: who relies on one that is missing or
 * malformed is told, and nobody gets in there; a former state is not kept. All others go on.
 */
export function createUserLists(
  graph: Graph,
  settings: Collection<ObjectSettings>,
  source: SecretSource,
): Collection<UserList> {
  const { secrets, onDemand } = source;
  const uses = graph.mapEntries(
    'auth.uses',
    settings,
    ({ fields: { authSecret }, owner }) =>
      authSecret === undefined
        ? undefined
        : { secret: { namespace: owner.namespace, name: authSecret }, owner },
    { ownerOf: ({ owner }) => owner },
  );
  const bySecret = graph.groupEntriesBy('auth.uses-by-secret', uses, ({ secret }) => secretKey(secret));
  const found = graph.mapEntries(
    'auth.secrets',
    bySecret,
    ([use], _key, reader): Parsed<PasswordListContent> | undefined => {
      if (use === undefined) return undefined;
      const secret = readSecret(reader, source, use.secret);
      return secret === undefined ? { fault: 'does not exist' } : parsePasswordList(secret);
    },
    {
      reads: [secrets, ...(onDemand === undefined ? [] : [onDemand.arrivals])],
      ownerOf: ([use], key) => ownerOfSecret(use?.secret ?? { namespace: '', name: key }),
    },
  );
  // What the messages are made of, and nothing of what is secret.
  const faults = graph.mapEntries('auth.faults', found, (content) => {
    if ('fault' in content) return { isFatal: true, text: content.fault };
    return content.value.faults.length === 0
      ? undefined
      : { isFatal: false, text: content.value.faults.join('; ') };
  });
  graph.mapEntries(
    'auth.checks',
    uses,
    ({ secret, owner }, _key, reader) => {
      const fault = reader.read(faults, secretKey(secret));
      if (fault === undefined) return true;
      const effect = fault.isFatal ? 'nobody is let in until it is mended' : 'these users are not let in';
      const message = `Secret ${secretKey(secret)} ${fault.isFatal ? '' : 'has a fault: '}${fault.text}: ${effect}`;
      const field = annotationField('auth-secret');
      reader.report({ severity: 'error', reason: 'PasswordsInvalid', field, message, owner });
      return false;
    },
    { reads: [faults], ownerOf: ({ owner }) => owner },
  );
  return graph.flatMapEntries(
    'auth.lists',
    bySecret,
    ([use], key, reader) => {
      if (use === undefined) return [];
      const content = reader.read(found, key);
      const users = content === undefined || 'fault' in content ? [] : content.value.users;
      const name = userListName(use.secret.namespace, use.secret.name);
      return [[name, { name, users, owner: ownerOfSecret(use.secret) }] as const];
    },
    { reads: [found], ownerOf: ([use], key) => ownerOfSecret(use?.secret ?? { namespace: '', name: key }) },
  );
}

function ownerOfSecret({ namespace, name }: SecretRef) {
  return { kind: 'Secret', namespace, name };
}
