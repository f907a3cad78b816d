import type { StructuralSchema } from '../structural-schema.ts';

/** One kind of object of this project; all are namespaced and have a status of their own. */
export interface CustomResource {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  /** What `kubectl get` prints besides name and age. */
  readonly columns: readonly PrinterColumn[];
  readonly spec: StructuralSchema;
  readonly status: StructuralSchema;
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** True: only with `-o wide`. */
  readonly wide?: boolean;
}
