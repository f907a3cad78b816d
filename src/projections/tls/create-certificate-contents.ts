import { pendingEntry } from '../../collections/pending-entry.ts';
import type { Collection, Graph, SourceCollection } from '../../collections/types.ts';
import type { Deadline } from '../deadline.ts';
import { deadlineKeys } from './deadline-keys.ts';
import { validityFault } from './validity-fault.ts';
import type { Problem } from '../../lib/problem.ts';
import { problemError } from '../problem-error.ts';
import type { SecretRef } from './secret-ref.ts';
import { secretKey } from './secret-key.ts';
import type { SecretSource } from './secret-source.ts';
import { type CertificateContent, type CertificateFacts, parseCertificate } from './parse-certificate.ts';
import { readSecret } from './read-secret.ts';
import type { TlsUse } from './tls-use.ts';

export type CertificateFault = Pick<Problem, 'severity' | 'reason' | 'message'>;

export interface CertificateContents {
  /** What the Secret holds now, by `namespace/name`. */
  readonly found: Collection<CertificateContent | { readonly kind: 'missing' }>;
  /** What is served: what it holds, or what it held last that could be served. */
  readonly held: Collection<CertificateFacts>;
  /** What is wrong with it, for whoever names the Secret, in words that follow its name. */
  readonly faults: Collection<CertificateFault>;
  /** What this waits for, and where it is told. */
  readonly deadlines: Collection<Deadline>;
  readonly times: SourceCollection<true>;
}

/**
 * The Secrets that anybody names, each read once and parsed once for each of its versions, however many name it. One that cannot be served any
 * more is served as it was, and its owner is told; one that is gone, for the grace time: it may be made anew, or be gone for a reason.
 *
 * @param graceMs milliseconds for which the certificate of a Secret that is gone, or empty, is served on
 */
export function createCertificateContents(
  graph: Graph,
  uses: Collection<TlsUse>,
  source: SecretSource,
  graceMs: number,
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
  const times = graph.source<true>('tls.times');
  const deadlines = graph.flatMapEntries('tls.deadlines', found, (content, key) =>
    deadlinesOf(content, key, graceMs),
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
        const fault = validityFault(reader, times, key, content.facts);
        if (fault !== undefined) reader.report({ ...fault, field: 'data', owner });
        return content.facts;
      }
      if (content?.kind !== 'invalid') {
        const isOver = reader.read(times, deadlineKeys.missing(key)) === true;
        if (content === undefined || isOver || graceMs === 0) return undefined;
        throw pendingEntry(`Secret ${key}`);
      }
      const message = `${content.fault}: what it held before is served, if anything`;
      throw problemError({ severity: 'error', reason: 'CertificateInvalid', field: 'data', message, owner });
    },
    { reads: [found, times], ownerOf: ownerOfSecret },
  );
  // Small, and mostly none: those who name a Secret need not look again when it is renewed.
  const faults = graph.mapEntries(
    'tls.faults',
    found,
    (content, key, reader): CertificateFault | undefined => {
      switch (content.kind) {
        case 'usable':
          return validityFault(reader, times, key, content.facts);
        case 'invalid':
          return { severity: 'error', reason: 'CertificateInvalid', message: content.fault };
        case 'empty':
          return { severity: 'error', reason: 'CertificateMissing', message: 'is empty' };
        case 'missing':
          return { severity: 'error', reason: 'CertificateMissing', message: 'does not exist' };
      }
    },
    { reads: [times] },
  );
  return { found, held, faults, deadlines, times };
}

function* deadlinesOf(
  content: CertificateContent | { readonly kind: 'missing' },
  key: string,
  graceMs: number,
): Generator<readonly [string, Deadline]> {
  if (content.kind === 'usable') {
    const { facts } = content;
    yield [deadlineKeys.begins(key, facts), { when: { at: facts.notBefore }, told: 'ahead' }];
    yield [deadlineKeys.ends(key, facts), { when: { at: facts.notAfter }, told: 'passed' }];
  } else if (content.kind !== 'invalid')
    yield [deadlineKeys.missing(key), { when: { after: graceMs }, told: 'passed' }];
}

function ownerOfSecret({ namespace, name }: SecretRef) {
  return { kind: 'Secret', namespace, name };
}
