import type { KubeObject } from '../../api/kube-object.ts';
import type { Collection, Graph } from '../../collections/types.ts';
import { ownerOf } from '../owner-of.ts';
import type { ObjectSettings } from '../policies/create-policies.ts';
import { reportFor } from '../report-for.ts';
import type { TlsUse } from '../tls/tls-use.ts';
import { parseIngressTls } from './parse-ingress-tls.ts';
import { tlsSettingsOf } from './tls-settings-of.ts';

/** What every selected Ingress says of certificates, one entry for each of its `spec.tls`, and one for the hosts of its rules where it says something else of them. */
export function createIngressTls(
  graph: Graph,
  ingresses: Collection<KubeObject>,
  settings: Collection<ObjectSettings>,
): Collection<TlsUse> {
  return graph.flatMapEntries(
    'ingress.tls',
    ingresses,
    (ingress, key, reader) => {
      const { fields } = reader.read(settings, key) ?? {};
      const said = fields && tlsSettingsOf(fields, ingress.metadata.namespace ?? '');
      return parseIngressTls(ingress, said, reportFor(ownerOf('Ingress', ingress), reader)).map(
        (use) => [`${key} ${use.position}`, use] as const,
      );
    },
    { reads: [settings], ownerOf: (ingress) => ownerOf('Ingress', ingress) },
  );
}
