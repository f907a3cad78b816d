import type { Collection, Graph } from '../../collections/types.ts';
import { secretKey } from './secret-key.ts';
import type { CertificateContents } from './create-certificate-contents.ts';
import type { TlsUse } from './tls-use.ts';

/** Tells whoever names a Secret that its certificate cannot be served, and why. The entries say whether it can. */
export function createCertificateChecks(
  graph: Graph,
  uses: Collection<TlsUse>,
  found: CertificateContents['found'],
): Collection<boolean> {
  return graph.mapEntries(
    'tls.checks',
    uses,
    ({ secret, field, owner }, _key, reader) => {
      if (secret === undefined) return true;
      const content = reader.read(found, secretKey(secret));
      // Not read yet.
      if (content === undefined) return false;
      if (content.kind === 'usable') return true;
      const isThere = content.kind !== 'missing';
      const fault = content.kind === 'invalid' ? content.fault : isThere ? 'is empty' : 'does not exist';
      const message = `Secret ${secretKey(secret)} ${fault}`;
      const reason = isThere ? 'CertificateInvalid' : 'CertificateMissing';
      reader.report({ severity: 'error', reason, field, message, owner });
      return false;
    },
    { reads: [found], ownerOf: ({ owner }) => owner },
  );
}
