import type { Collection, Graph } from '../../collections/types.ts';
import type { DefaultCertificate, Listener } from '../model.ts';

/** The one listener for HTTPS, `https`. */
export function createListeners(
  graph: Graph,
  defaults: Collection<DefaultCertificate>,
): Collection<Listener> {
  const wanted = graph.source<true>('tls.listeners');
  wanted.set('https', true);
  return graph.mapEntries(
    'listeners',
    wanted,
    (_wanted, name, reader): Listener => ({
      name,
      hasDefault: reader.readKeys(defaults).length > 0,
      owner: { kind: 'Listener', namespace: '', name },
    }),
    { reads: [defaults] },
  );
}
