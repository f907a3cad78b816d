import type { Collection, Graph } from '../../collections/types.ts';
import type { SecretRef } from './secret-ref.ts';
import type { TlsUse } from './tls-use.ts';

/** The Secrets of the default certificate as uses for no host: what makes them read and parsed as any other. */
export function defaultUses(graph: Graph, defaults: readonly SecretRef[]): Collection<TlsUse> {
  const uses = graph.source<TlsUse>('tls.defaults');
  defaults.forEach((secret, position) => {
    const owner = { kind: 'Secret', namespace: secret.namespace, name: secret.name };
    const use = { secret, hosts: [], byCertificate: false, owner, created: 0, position, field: '' };
    uses.set(`default ${position}`, use);
  });
  return uses;
}
