import type { KubeObject } from '../api/kube-object.ts';
import type { DeploymentIntent } from '../protocol/deployment-intent.ts';

export const intentAnnotation = 'haptic.io/deployment-intent';

const form = /^([0-9a-f]{16}) (sha256:[0-9a-f]{64})$/;

/** The intent that stands on a Lease; undefined: none, or one that is none. */
export function leaseIntent({ metadata }: KubeObject): DeploymentIntent | undefined {
  const [, planId, checksum] = form.exec(metadata.annotations?.[intentAnnotation] ?? '') ?? [];
  return planId === undefined || checksum === undefined ? undefined : { planId, checksum };
}

/** The annotations that say so. */
export function intentAnnotations(intent: DeploymentIntent | undefined): Readonly<Record<string, string>> {
  return intent === undefined ? {} : { [intentAnnotation]: `${intent.planId} ${intent.checksum}` };
}
