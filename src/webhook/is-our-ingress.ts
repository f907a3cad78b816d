import type { KubeObject } from '../api/kube-object.ts';
import type { Collection } from '../collections/types.ts';
import { classFact } from '../projections/ingress/class-fact.ts';
import { className } from '../projections/ingress/class-name.ts';
import { defaultClass } from '../projections/ingress/default-class.ts';

const controller = 'haproxy-haptic.org/controller';

/** Whether an Ingress is for this controller, by its class. O(classes). */
export function isOurIngress(ingress: KubeObject, classes: Collection<KubeObject> | undefined): boolean {
  const facts = (classes?.keys() ?? []).flatMap((key) => {
    const value = classes?.peek(key);
    return value === undefined ? [] : [classFact(value, controller, () => undefined)];
  });
  const name = className(ingress);
  const chosen =
    name === undefined
      ? defaultClass(facts.filter(({ isDefault }) => isDefault))
      : facts.find((fact) => fact.name === name);
  return chosen?.ours === true;
}
