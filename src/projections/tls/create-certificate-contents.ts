import type { Collection, Graph } from '../../collections/types.ts';
import { problemError } from '../problem-error.ts';
import type { SecretRef } from './secret-ref.ts';
import { secretKey } from './secret-key.ts';
import type { SecretSource } from './secret-source.ts';
import { type CertificateContent, type CertificateFacts, parseCertificate } from './parse-certificate.ts';
import { readSecret } from './read-secret.ts';
import type { TlsUse } from './tls-use.ts';

export interface CertificateContents {
  /** What the Secret holds now, by `namespace/name`. */
  readonly found: Collection<CertificateContent | { readonly kind: 'missing' }>;
  /** What is served: what it holds, or what it held last that could be served. */
  readonly held: Collection<CertificateFacts>;
}

/**
 * The Secrets that anybody names, each read once and parsed once for each of its versions, however many name it. One that cannot be served any
 * more is served as it was, and its owner is told.
 */
export function createCertificateContents(
  graph: Graph,
  uses: Collection<TlsUse>,
  source: SecretSource,
): CertificateContents {
  const bySecret = graph.groupEntriesBy('tls.uses-by-secret', uses, ({ secret }) =>
    secret === undefined ? undefined : secretKey(secret),
  );
  const refs = graph.mapEntries('tls.secret-refs', bySecret, ([first]) => first?.secret);
  const { secrets, onDemand } = source;
  const found = graph.mapEntries(
    'tls.secrets',
    refs,
    (ref, _key, reader): CertificateContent | { readonly kind: 'missing' } => {
      const secret = readSecret(reader, source, ref);
      return secret === undefined ? { kind: 'missing' } : parseCertificate(secret);
    },
    { reads: [secrets, ...(onDemand === undefined ? [] : [onDemand.arrivals])], ownerOf: ownerOfSecret },
  );
  const held = graph.mapEntries(
    'tls.served',
    refs,
    (ref, key, reader) => {
      const content = reader.read(found, key);
      const owner = ownerOfSecret(ref);
      if (content?.kind === 'usable') {
        for (const message of content.facts.warnings)
          reader.report({
            severity: 'warning',
            reason: 'CertificateIncomplete',
            field: 'data',
            message,
            owner,
          });
        return content.facts;
      }
      if (content === undefined || content.kind === 'missing') return undefined;
      const fault = content.kind === 'invalid' ? content.fault : 'is empty';
      const message = `${fault}: what it held before is served, if anything`;
      throw problemError({ severity: 'error', reason: 'CertificateInvalid', field: 'data', message, owner });
    },
    { reads: [found], ownerOf: ownerOfSecret },
  );
  return { found, held };
}

function ownerOfSecret({ namespace, name }: SecretRef) {
  return { kind: 'Secret', namespace, name };
}
