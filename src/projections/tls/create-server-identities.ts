import type { Collection, Graph } from '../../collections/types.ts';
import type { ServerIdentity } from '../model.ts';
import { fileStem } from './file-stem.ts';
import { parseCertificate } from './parse-certificate.ts';
import { readSecret } from './read-secret.ts';
import { secretKey } from './secret-key.ts';
import type { SecretRef } from './secret-ref.ts';
import type { SecretSource } from './secret-source.ts';
import type { TrustUse } from './trust-use.ts';

/** The file of a certificate that servers are shown, beside the one that clients are. */
export function identityFile(secret: SecretRef): string {
  return `${fileStem(secret)}_client.pem`;
}

export interface ServerIdentities {
  /** By file. */
  readonly identities: Collection<ServerIdentity>;
  /** Files that there are; a renewed certificate does not touch them. */
  readonly known: Collection<true>;
}

/** The Secrets whose certificates servers are shown, each read and parsed once. One that cannot be used is none: who relies on it is told, and gets no traffic. */
export function createServerIdentities(
  graph: Graph,
  uses: Collection<TrustUse>,
  source: SecretSource,
): ServerIdentities {
  const { secrets, onDemand } = source;
  const bySecret = graph.groupEntriesBy('identities.uses-by-secret', uses, ({ secret }) => secretKey(secret));
  const found = graph.mapEntries(
    'identities.secrets',
    bySecret,
    ([use], _key, reader): ServerIdentity | string => {
      if (use === undefined) return 'does not exist';
      const { namespace, name } = use.secret;
      const secret = readSecret(reader, source, use.secret);
      const content = secret === undefined ? ({ kind: 'missing' } as const) : parseCertificate(secret);
      if (content.kind === 'missing') return 'does not exist';
      if (content.kind === 'empty') return 'is empty';
      if (content.kind === 'invalid') return content.fault;
      const { chain, key } = content.facts;
      return { file: identityFile(use.secret), chain, key, owner: { kind: 'Secret', namespace, name } };
    },
    {
      reads: [secrets, ...(onDemand === undefined ? [] : [onDemand.arrivals])],
      ownerOf: (_uses, key) => {
        const [namespace = '', name = ''] = key.split('/');
        return { kind: 'Secret', namespace, name };
      },
    },
  );
  graph.mapEntries(
    'identities.checks',
    uses,
    ({ secret, owner, field, effect }, _key, reader) => {
      const content = reader.read(found, secretKey(secret));
      if (typeof content !== 'string') return true;
      const message = `Secret ${secretKey(secret)} ${content}: ${effect}`;
      reader.report({ severity: 'error', reason: 'CertificateInvalid', field, message, owner });
      return false;
    },
    { reads: [found], ownerOf: ({ owner }) => owner },
  );
  const identities = graph.flatMapEntries(
    'serverIdentities',
    found,
    (content): readonly (readonly [string, ServerIdentity])[] =>
      typeof content === 'string' ? [] : [[content.file, content]],
    { ownerOf: (content) => (typeof content === 'string' ? noOwner : content.owner) },
  );
  return { identities, known: graph.mapEntries('identities.known', identities, () => true as const) };
}

const noOwner = { kind: 'Secret', namespace: '', name: '' };
