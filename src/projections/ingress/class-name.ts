import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord } from '../../lib/is-record.ts';

const oldAnnotation = 'kubernetes.io/ingress.class';

/**
 * The IngressClass that an Ingress names: `spec.ingressClassName`, else the annotation it replaced. `undefined`: none is
 * named, so the default class counts. A name that is not a string names a class that does not exist.
 */
export function className(ingress: KubeObject): string | undefined {
  const spec = ingress['spec'];
  const annotations: unknown = ingress.metadata.annotations;
  const named = isRecord(spec) ? spec['ingressClassName'] : undefined;
  const value = named ?? (isRecord(annotations) ? annotations[oldAnnotation] : undefined);
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : '';
}
