import type { Collection, Graph } from '../../collections/types.ts';
import { secretKey } from './secret-key.ts';
import type { CertificateContents } from './create-certificate-contents.ts';
import type { TlsUse } from './tls-use.ts';
import { validityFault } from './validity-fault.ts';

/** Tells whoever names a Secret that its certificate cannot be served, and why. The entries say whether it can. */
export function createCertificateChecks(
  graph: Graph,
  uses: Collection<TlsUse>,
  { found, times }: Pick<CertificateContents, 'found' | 'times'>,
): Collection<boolean> {
  return graph.mapEntries(
    'tls.checks',
    uses,
    ({ secret, field, owner }, _key, reader) => {
      if (secret === undefined) return true;
      const key = secretKey(secret);
      const content = reader.read(found, key);
      // Not read yet.
      if (content === undefined) return false;
      if (content.kind === 'usable') {
        const fault = validityFault(reader, times, key, content.facts);
        if (fault !== undefined)
          reader.report({
            ...fault,
            message: `Secret ${key} ${fault.message}`,
            severity: 'warning',
            field,
            owner,
          });
        return true;
      }
      const isThere = content.kind === 'invalid';
      const fault =
        content.kind === 'invalid' ? content.fault : content.kind === 'empty' ? 'is empty' : 'does not exist';
      const message = `Secret ${key} ${fault}`;
      const reason = isThere ? 'CertificateInvalid' : 'CertificateMissing';
      reader.report({ severity: 'error', reason, field, message, owner });
      return false;
    },
    { reads: [found, times], ownerOf: ({ owner }) => owner },
  );
}
