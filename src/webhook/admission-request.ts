import type { KubeObject } from '../api/kube-object.ts';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE';

/** What an API server asks about one object: `request` of an AdmissionReview, admission.k8s.io/v1, checked. */
export interface AdmissionRequest {
  /** Echoed in the answer. */
  readonly uid: string;
  readonly operation: AdmissionOperation;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Plural: `ingresses`. */
  readonly resource: string;
  /** `status`, `scale`; absent when the object itself is meant. */
  readonly subResource?: string;
  readonly namespace?: string;
  readonly name: string;
  /** Nothing will be stored, whatever is answered. */
  readonly dryRun: boolean;
  /** As it would be stored: of CREATE and UPDATE. */
  readonly object?: KubeObject;
  /** As it is stored: of UPDATE and DELETE. */
  readonly oldObject?: KubeObject;
}
