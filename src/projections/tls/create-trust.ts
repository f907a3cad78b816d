import { pendingEntry } from '../../collections/pending-entry.ts';
import type { Collection, Graph } from '../../collections/types.ts';
import type { TrustFile } from '../model.ts';
import { parseTrust, type TrustContent } from './parse-trust.ts';
import { readSecret } from './read-secret.ts';
import { secretKey } from './secret-key.ts';
import type { SecretSource } from './secret-source.ts';
import { trustFile } from './trust-file.ts';
import type { TrustUse } from './trust-use.ts';

/** What can be said of a Secret of authorities that can be used. */
export interface TrustState {
  readonly ca: string;
  /** Absent: it has no revocation list. */
  readonly crl?: string;
}

export interface Trust {
  /** By `namespace/name`, of those that can be used: names of their files, which a renewed Secret does not touch. */
  readonly states: Collection<TrustState>;
  /** By file. */
  readonly trustFiles: Collection<TrustFile>;
  /** What is wrong with it, for whoever names the Secret, in words that follow its name. */
  readonly faults: Collection<string>;
}

/**
 * The Secrets of authorities that anybody names, each read and parsed once. Nothing is served on that is gone or malformed: who relies on it is closed
 * until it is mended, whatever was there before.
 */
export function createTrust(graph: Graph, uses: Collection<TrustUse>, source: SecretSource): Trust {
  const { secrets, onDemand } = source;
  const bySecret = graph.groupEntriesBy('trust.uses-by-secret', uses, ({ secret }) => secretKey(secret));
  const found = graph.mapEntries(
    'trust.secrets',
    bySecret,
    ([use], key, reader): TrustContent => {
      if (use === undefined) throw pendingEntry(`Secret ${key}`);
      const secret = readSecret(reader, source, use.secret);
      return secret === undefined ? { kind: 'invalid', fault: 'does not exist' } : parseTrust(secret);
    },
    {
      reads: [secrets, ...(onDemand === undefined ? [] : [onDemand.arrivals])],
      ownerOf: (_uses, key) => ownerOfKey(key),
    },
  );
  const states = graph.mapEntries('trust.states', found, (content, key): TrustState | undefined => {
    if (content.kind !== 'usable') return undefined;
    const { namespace, name } = ownerOfKey(key);
    const ca = trustFile({ namespace, name }, 'ca');
    return content.facts.revoked === undefined ? { ca } : { ca, crl: trustFile({ namespace, name }, 'crl') };
  });
  const trustFiles = graph.flatMapEntries(
    'trustFiles',
    found,
    (content, key): readonly (readonly [string, TrustFile])[] => {
      if (content.kind !== 'usable') return [];
      const owner = ownerOfKey(key);
      const { authorities, revoked } = content.facts;
      const entry = (kind: TrustFile['kind'], pem: string) => {
        const file = trustFile(owner, kind);
        return [file, { file, kind, pem, owner }] as const;
      };
      return [entry('ca', authorities), ...(revoked === undefined ? [] : [entry('crl', revoked)])];
    },
    { ownerOf: (_content, key) => ownerOfKey(key) },
  );
  const faults = graph.mapEntries('trust.faults', found, (content) =>
    content.kind === 'invalid' ? content.fault : undefined,
  );
  graph.mapEntries(
    'trust.checks',
    uses,
    ({ secret, owner, field, effect }, _key, reader) => {
      const fault = reader.read(faults, secretKey(secret));
      if (fault === undefined) return true;
      const message = `Secret ${secretKey(secret)} ${fault}: ${effect}`;
      reader.report({ severity: 'error', reason: 'AuthoritiesInvalid', field, message, owner });
      return false;
    },
    { reads: [faults], ownerOf: ({ owner }) => owner },
  );
  return { states, trustFiles, faults };
}

function ownerOfKey(key: string) {
  const [namespace = '', name = ''] = key.split('/');
  return { kind: 'Secret', namespace, name };
}
