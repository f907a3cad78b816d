import type { KubeObject } from '../../api/kube-object.ts';
import { creationTime } from '../creation-time.ts';
import type { ReportFault } from '../fault.ts';
import { isRecord } from '../../lib/is-record.ts';
import { showValue } from '../show-value.ts';

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

/**
 * Reads an IngressClass (networking.k8s.io/v1, unvalidated JSON); a malformed one is nobody's. Parameters of one that is ours are reported: no kind of object
 * is read for them.
 */
export function classFact(ingressClass: KubeObject, controller: string, report: ReportFault): ClassFact {
  const spec = ingressClass['spec'];
  const annotations: unknown = ingressClass.metadata.annotations;
  const parameters = isRecord(spec) && spec['controller'] === controller ? spec['parameters'] : undefined;
  if (parameters !== undefined && parameters !== null) {
    const { apiGroup, kind, name } = isRecord(parameters) ? parameters : {};
    const message = `are not read, and its Ingresses are served as without: no kind of object has a meaning here, ${showValue(kind)} ${showValue(name)} of API group ${showValue(apiGroup ?? '')} neither`;
    report({ reason: 'ParametersUnsupported', field: 'spec.parameters', message, severity: 'warning' });
  }
  return {
    name: ingressClass.metadata.name,
    ours: isRecord(spec) && spec['controller'] === controller,
    isDefault: isRecord(annotations) && annotations[defaultAnnotation] === 'true',
    created: creationTime(ingressClass),
  };
}
