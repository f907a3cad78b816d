import type { Collection, Graph } from '../../collections/types.ts';
import type { DefaultCertificate } from '../model.ts';
import type { CertificateContents } from './create-certificate-contents.ts';
import { secretKey } from './secret-key.ts';
import type { SecretRef } from './secret-ref.ts';

/**
 * Those of the Secrets of the default certificate that can be served, in their order, by file. What is missing is told to the Secret; what cannot be
 * served, it is told where it is read.
 */
export function createDefaultCertificates(
  graph: Graph,
  defaults: readonly SecretRef[],
  { found, held }: Pick<CertificateContents, 'found' | 'held'>,
): Collection<DefaultCertificate> {
  const wanted = graph.source<SecretRef>('tls.default-refs');
  defaults.forEach((ref, place) => wanted.set(`default-${place + 1}.pem`, ref));
  return graph.mapEntries(
    'defaultCertificates',
    wanted,
    (ref, file, reader) => {
      const owner = ownerOfSecret(ref);
      const kind = reader.read(found, secretKey(ref))?.kind;
      if (kind === 'missing' || kind === 'empty') {
        const what = kind === 'empty' ? 'is empty' : 'does not exist';
        const message = `${what}, and is to be the default certificate`;
        reader.report({ severity: 'error', reason: 'CertificateMissing', field: '', message, owner });
      }
      const facts = reader.read(held, secretKey(ref));
      return facts && { file, chain: facts.chain, key: facts.key, owner };
    },
    { reads: [found, held], ownerOf: ownerOfSecret },
  );
}

function ownerOfSecret({ namespace, name }: SecretRef) {
  return { kind: 'Secret', namespace, name };
}
