import type { Collection, Graph } from '../../collections/types.ts';
import type { JwtKey } from '../model.ts';
import type { Parsed } from '../parsed.ts';
import { fileStem } from '../tls/file-stem.ts';
import { readSecret } from '../tls/read-secret.ts';
import { secretKey } from '../tls/secret-key.ts';
import type { SecretRef } from '../tls/secret-ref.ts';
import type { SecretSource } from '../tls/secret-source.ts';
import { annotationField } from './annotation-field.ts';
import type { ObjectSettings } from './create-policies.ts';
import type { JwtAlgorithm } from './jwt-algorithms.ts';
import { type JwtKeysContent, parseJwtKeys } from './parse-jwt-keys.ts';

interface Use {
  readonly secret: SecretRef;
  readonly algorithm: JwtAlgorithm;
}

/**
 * The keys that tokens are checked with, by file. Each Secret is read and parsed once for each algorithm. One that is missing or malformed has none, so that no token
 * is believed; a former state is not kept.
 */
export function createJwtKeys(
  graph: Graph,
  settings: Collection<ObjectSettings>,
  source: SecretSource,
): Collection<JwtKey> {
  const { secrets, onDemand } = source;
  const uses = graph.mapEntries(
    'jwt.uses',
    settings,
    ({ fields: { jwtSecret, jwtAlgorithm = 'RS256' }, owner }) =>
      jwtSecret === undefined
        ? undefined
        : { secret: { namespace: owner.namespace, name: jwtSecret }, algorithm: jwtAlgorithm, owner },
    { ownerOf: ({ owner }) => owner },
  );
  const byUse = graph.groupEntriesBy('jwt.uses-by-secret', uses, keyOf);
  const found = graph.mapEntries(
    'jwt.secrets',
    byUse,
    ([use], _key, reader): Parsed<JwtKeysContent> | undefined => {
      if (use === undefined) return undefined;
      const secret = readSecret(reader, source, use.secret);
      return secret === undefined ? { fault: 'does not exist' } : parseJwtKeys(secret, use.algorithm);
    },
    {
      reads: [secrets, ...(onDemand === undefined ? [] : [onDemand.arrivals])],
      ownerOf: ([use]) => ownerOfSecret(use?.secret),
    },
  );
  graph.mapEntries(
    'jwt.checks',
    uses,
    ({ owner, ...use }, _key, reader) => {
      const content = reader.read(found, keyOf(use));
      if (content === undefined) return true;
      const fatal = 'fault' in content ? content.fault : undefined;
      const fault = 'fault' in content ? content.fault : content.value.faults.join('; ');
      if (fault === '') return true;
      const effect = fatal === undefined ? 'the other keys count' : 'no token is believed until it is mended';
      reader.report({
        severity: fatal === undefined ? 'warning' : 'error',
        reason: 'KeysInvalid',
        field: annotationField('jwt-secret'),
        message: `Secret ${secretKey(use.secret)}${fatal === undefined ? ':' : ''} ${fault}: ${effect}`,
        owner,
      });
      return fatal === undefined;
    },
    { reads: [found], ownerOf: ({ owner }) => owner },
  );
  return graph.flatMapEntries(
    'jwt.keys',
    byUse,
    ([use], key, reader) => {
      const content = reader.read(found, key);
      if (use === undefined || content === undefined || 'fault' in content) return [];
      const { secret, algorithm } = use;
      return content.value.keys.map((pem, at) => {
        const file = `${fileStem(secret)}_${algorithm}_${at}.pem`;
        const set = `${secret.namespace}_${secret.name}_${algorithm}`;
        return [file, { file, set, pem, owner: ownerOfSecret(secret) }] as const;
      });
    },
    { reads: [found], ownerOf: ([use]) => ownerOfSecret(use?.secret) },
  );
}

function keyOf({ secret, algorithm }: Use): string {
  return `${secretKey(secret)} ${algorithm}`;
}

function ownerOfSecret(secret: SecretRef | undefined) {
  return { kind: 'Secret', namespace: secret?.namespace ?? '', name: secret?.name ?? '' };
}
