import type { KubeObject } from '../../api/kube-object.ts';
import type { Collection, Graph } from '../../collections/types.ts';
import { ownerOf } from '../owner-of.ts';
import { reportFor } from '../report-for.ts';
import { classFact } from './class-fact.ts';
import { className } from './class-name.ts';
import { defaultClass } from './default-class.ts';

/**
 * The Ingresses that are ours by their class. Foreign ones are none of our business and are not reported. A changed
 * IngressClass touches the Ingresses that name it, a changed default class those that name none.
 */
export function createSelectedIngresses(
  graph: Graph,
  ingresses: Collection<KubeObject>,
  ingressClasses: Collection<KubeObject>,
  controller: string,
): Collection<KubeObject> {
  const classes = graph.mapEntries(
    'ingress.classes',
    ingressClasses,
    (ingressClass, _key, reader) =>
      classFact(ingressClass, controller, reportFor(ownerOf('IngressClass', ingressClass), reader)),
    { ownerOf: (ingressClass) => ownerOf('IngressClass', ingressClass) },
  );
  const byName = graph.indexBy('ingress.classes-by-name', classes, ({ name }) => [name]);
  const defaults = graph.indexBy('ingress.default-classes', classes, ({ isDefault }) =>
    isDefault ? ['default'] : [],
  );
  return graph.mapEntries(
    'ingress.selected',
    ingresses,
    (ingress, _key, reader) => {
      const name = className(ingress);
      const chosen =
        name === undefined
          ? defaultClass(reader.readIndex(defaults, 'default'))
          : reader.readIndex(byName, name)[0];
      return chosen?.ours === true ? ingress : undefined;
    },
    { reads: [byName, defaults], equal: (a, b) => a === b, ownerOf: (value) => ownerOf('Ingress', value) },
  );
}
