/**
 * The structural schema dialect of Kubernetes: what CRDs carry, and what the tables of the built-in kinds are written
 * in. `definition` names a schema that OpenAPI documents refer to instead of repeating it.
 */
export interface Schema {
  readonly definition?: string;
  /** The named schema that this field's own description and traits are laid over. */
  readonly origin?: Schema;
  /** Protobuf number of a field; several where JSON inlines messages. */
  readonly proto?: readonly number[];
  /** A zero in protobuf is a value, not an absence. */
  readonly zero?: boolean;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  /** Further keywords of a CRD's schema (pattern, minimum, allOf, …), read by its validator only. */
  readonly [keyword: string]: unknown;
}

/** Anything goes: for kinds and fields that this API stores without looking into them. */
export const anything: Schema = { 'x-kubernetes-preserve-unknown-fields': true };

const objectFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The schema of a field, or of a value in a map; `undefined` where the schema knows no such field. */
export function schemaOfField(schema: Schema | undefined, field: string): Schema | undefined {
  if (schema === undefined) return undefined;
  const property = schema.properties?.[field];
  if (property !== undefined && Object.hasOwn(schema.properties ?? {}, field)) return property;
  if (typeof schema.additionalProperties === 'object') return schema.additionalProperties;
  if (schema['x-kubernetes-embedded-resource'] === true && objectFields.has(field)) return anything;
  return schema.additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'] === true
    ? anything
    : undefined;
}

/** The fields that identify an item of a list with `x-kubernetes-list-type: map`, otherwise none. */
export function listMapKeys(schema: Schema | undefined): readonly string[] {
  return schema?.['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [];
}
