import { isRecord, type JsonRecord } from './json.ts';
import { schemaOfField, type Schema } from './schema.ts';

export interface SchemaFindings {
  /** The value without the fields that the schema does not know. */
  readonly value: unknown;
  /** Paths of unknown fields, as `spec.foo`. */
  readonly unknown: readonly string[];
  /** Values of the wrong type, as sentences that name the path. */
  readonly mistyped: readonly string[];
}

/**
 * Checks an object against its schema: types, and fields that do not exist. `null` fields of built-in kinds mean
 * absence and are dropped (`dropNulls`).
 */
export function checkSchema(value: unknown, schema: Schema, dropNulls: boolean): SchemaFindings {
  const findings = { unknown: [], mistyped: [], dropNulls };
  return { value: walk(value, schema, '', findings), ...findings };
}

interface Findings {
  readonly unknown: string[];
  readonly mistyped: string[];
  readonly dropNulls: boolean;
}

function walk(value: unknown, schema: Schema, path: string, findings: Findings): unknown {
  if (value === null || value === undefined) return value;
  if (!hasType(value, schema)) {
    findings.mistyped.push(
      `${path === '' ? 'object' : path} must be of type ${nameOf(schema)}, not ${kindOf(value)}`,
    );
    return value;
  }
  if (Array.isArray(value)) {
    const items = schema.items;
    if (items === undefined) return value;
    const next = value.map((item: unknown, i) => walk(item, items, `${path}[${String(i)}]`, findings));
    return next.some((item, i) => item !== value[i]) ? next : value;
  }
  return isRecord(value) ? walkFields(value, schema, path, findings) : value;
}

function walkFields(value: JsonRecord, schema: Schema, path: string, findings: Findings): JsonRecord {
  let next: Record<string, unknown> | undefined;
  for (const field of Object.keys(value)) {
    const at = path === '' ? field : `${path}.${field}`;
    const inner = schemaOfField(schema, field);
    if (inner === undefined) {
      findings.unknown.push(at);
      next ??= { ...value };
      Reflect.deleteProperty(next, field);
      continue;
    }
    const item = value[field];
    if (item === null && findings.dropNulls) {
      next ??= { ...value };
      Reflect.deleteProperty(next, field);
      continue;
    }
    const checked = walk(item, inner, at, findings);
    if (checked !== item) (next ??= { ...value })[field] = checked;
  }
  return next ?? value;
}

function hasType(value: unknown, schema: Schema): boolean {
  if (schema['x-kubernetes-int-or-string'] === true)
    return typeof value === 'string' || Number.isInteger(value);
  switch (schema.type) {
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    default:
      return true;
  }
}

function nameOf(schema: Schema): string {
  return schema['x-kubernetes-int-or-string'] === true ? 'integer or string' : (schema.type ?? 'any');
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
