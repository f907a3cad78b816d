import type { KubeObject } from '../../api/kube-object.ts';
import { creationTime } from '../creation-time.ts';
import { isRecord } from '../../lib/is-record.ts';

/** What an IngressClass says about who serves it. */
export interface ClassFact {
  readonly name: string;
  /** `spec.controller` is this product's. */
  readonly ours: boolean;
  /** Taken by Ingresses that name no class. */
  readonly isDefault: boolean;
  readonly created: number;
}

const defaultAnnotation = 'ingressclass.kubernetes.io/is-default-class';

/** Reads an IngressClass (networking.k8s.io/v1, unvalidated JSON); a malformed one is nobody's. */
export function classFact(ingressClass: KubeObject, controller: string): ClassFact {
  const spec = ingressClass['spec'];
  const annotations: unknown = ingressClass.metadata.annotations;
  return {
    name: ingressClass.metadata.name,
    ours: isRecord(spec) && spec['controller'] === controller,
    isDefault: isRecord(annotations) && annotations[defaultAnnotation] === 'true',
    created: creationTime(ingressClass),
  };
}
