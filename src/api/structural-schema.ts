/**
 * A rule over several fields, in CEL as Kubernetes speaks it. The API server enforces it on objects, and the controller on
 * configurations that come from files or are merged from libraries.
 */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  /** Of the field to blame, relative to the object that has the rule: `.renewDeadline`. */
  readonly fieldPath?: string;
}

/** The part of JSON Schema that both Kubernetes (structural schemas) and Ajv take. */
export interface StructuralSchema {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly description?: string;
  readonly format?: 'int64' | 'int32' | 'date-time';
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema;
  readonly required?: readonly string[];
  readonly items?: StructuralSchema;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-list-type'?: 'map' | 'set' | 'atomic';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}
