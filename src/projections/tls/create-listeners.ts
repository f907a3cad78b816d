import type { Collection, Graph } from '../../collections/types.ts';
import type { Listener } from '../model.ts';
import type { CertificateContents } from './create-certificate-contents.ts';
import { secretKey } from './secret-key.ts';
import type { SecretRef } from './secret-ref.ts';

/**
 * The one listener for HTTPS, `https`, with the default certificate: the first of those that can be served. What is missing is told as
 * long as nobody would see it otherwise; what cannot be served, its Secret is told.
 */
export function createListeners(
  graph: Graph,
  defaults: readonly SecretRef[],
  { found, held }: CertificateContents,
): Collection<Listener> {
  const wanted = graph.source<readonly SecretRef[]>('tls.listeners');
  wanted.set('https', defaults);
  return graph.mapEntries(
    'listeners',
    wanted,
    (refs, name, reader): Listener => {
      for (const { namespace, name: secret } of refs) {
        const ref = secretKey({ namespace, name: secret });
        const owner = { kind: 'Secret', namespace, name: secret };
        const kind = reader.read(found, ref)?.kind;
        if (kind === 'missing' || kind === 'empty') {
          const what = kind === 'empty' ? 'is empty' : 'does not exist';
          const message = `${what}, and is to be the default certificate`;
          reader.report({ severity: 'error', reason: 'CertificateMissing', field: '', message, owner });
        }
        const facts = reader.read(held, ref);
        if (facts === undefined) continue;
        const { chain, key } = facts;
        return { name, certificate: { chain, key }, owner };
      }
      return { name, owner: { kind: 'Listener', namespace: '', name } };
    },
    { reads: [found, held] },
  );
}
