import type { Collection, Graph } from '../../collections/types.ts';
import { secretKey } from './secret-key.ts';
import type { CertificateContents } from './create-certificate-contents.ts';
import type { TlsUse } from './tls-use.ts';

/** Tells whoever names a Secret what is wrong with its certificate. The entries say whether nothing is. */
export function createCertificateChecks(
  graph: Graph,
  uses: Collection<TlsUse>,
  { faults }: Pick<CertificateContents, 'faults'>,
): Collection<boolean> {
  return graph.mapEntries(
    'tls.checks',
    uses,
    ({ secret, field, owner }, _key, reader) => {
      const key = secret && secretKey(secret);
      const fault = key === undefined ? undefined : reader.read(faults, key);
      if (fault === undefined) return true;
      reader.report({ ...fault, message: `Secret ${key ?? ''} ${fault.message}`, field, owner });
      return false;
    },
    { reads: [faults], ownerOf: ({ owner }) => owner },
  );
}
