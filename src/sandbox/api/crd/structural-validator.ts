import { Ajv, type ErrorObject } from 'ajv';
import formats from 'ajv-formats';
import type { Cause } from '../api-status.ts';
import { duplicate, invalid, notSupported, required } from '../field-errors.ts';
import { isList, isRecord } from '../json.ts';
import { listMapKeys, schemaOfField, type Schema } from '../schema.ts';
import { createRuleValidator } from './cel-rules.ts';

const knownFormats = [
  'date',
  'date-time',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uuid',
  'byte',
  'int32',
  'int64',
  'float',
  'double',
  'password',
];
const composites = ['allOf', 'anyOf', 'oneOf'];
const plainKeywords = [
  'type',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'multipleOf',
  'minimum',
  'maximum',
  'required',
];

/**
 * A validator for a structural schema: every wrong value as a cause in kube-apiserver's words; of its CEL rules where all else is
 * right. Throws when the schema itself cannot be compiled, with the reason.
 */
export function createStructuralValidator(schema: Schema): (value: unknown) => readonly Cause[] {
  const ajv = new Ajv({ allErrors: true, verbose: true, strict: false, allowUnionTypes: true });
  formats.default(ajv);
  const check = ajv.compile(toJsonSchema(schema));
  const rules = createRuleValidator(schema);
  return (value) => {
    const causes = check(value) ? [] : (check.errors ?? []).flatMap(causeOf);
    checkLists(value, schema, '', causes);
    return causes.length === 0 ? rules(value) : causes;
  };
}

/** The JSON schema that means what a structural schema means: nullable types, numbers or strings, exclusive bounds. */
function toJsonSchema(schema: Schema): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const keyword of plainKeywords) if (schema[keyword] !== undefined) out[keyword] = schema[keyword];
  if (schema['x-kubernetes-int-or-string'] === true) out['type'] = ['integer', 'string'];
  if (schema.nullable === true && out['type'] !== undefined) {
    out['type'] = [out['type'], 'null'].flat();
    if (isList(out['enum'])) out['enum'] = [...out['enum'], null];
  }
  if (schema['exclusiveMinimum'] === true) moveBound(out, 'minimum', 'exclusiveMinimum');
  if (schema['exclusiveMaximum'] === true) moveBound(out, 'maximum', 'exclusiveMaximum');
  if (schema.format !== undefined && knownFormats.includes(schema.format)) out['format'] = schema.format;
  if (schema.properties !== undefined) out['properties'] = mapValues(schema.properties);
  if (schema.items !== undefined) out['items'] = toJsonSchema(schema.items);
  if (isRecord(schema.additionalProperties))
    out['additionalProperties'] = toJsonSchema(schema.additionalProperties);
  for (const keyword of composites) {
    const parts = schema[keyword];
    if (isList(parts)) out[keyword] = parts.map((part) => toJsonSchema(isRecord(part) ? part : {}));
  }
  if (isRecord(schema['not'])) out['not'] = toJsonSchema(schema['not']);
  return out;
}

function moveBound(out: Record<string, unknown>, from: string, to: string): void {
  out[to] = out[from];
  Reflect.deleteProperty(out, from);
}

function mapValues(properties: Readonly<Record<string, Schema>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, toJsonSchema(schema)]));
}

function causeOf(error: ErrorObject): Cause[] {
  const field = fieldOf(error.instancePath);
  const { data, params } = error;
  const value: unknown = data;
  const limit = String(isRecord(params) ? params['limit'] : '');
  const body = (text: string) => [invalid(field, value, `${field} in body ${text}`)];
  switch (error.keyword) {
    case 'required':
      return [required([field, String(params['missingProperty'])].filter((part) => part !== '').join('.'))];
    case 'enum':
      return [notSupported(field, value, isList(error.schema) ? error.schema.map(String) : [])];
    case 'type': {
      const kind = value === null ? 'null' : isList(value) ? 'array' : typeof value;
      return [
        invalid(
          field,
          kind,
          `${field} in body must be of type ${String(error.schema)}: ${JSON.stringify(kind)}`,
        ),
      ];
    }
    case 'pattern':
      return body(`should match '${String(error.schema)}'`);
    case 'minimum':
      return body(`should be greater than or equal to ${limit}`);
    case 'maximum':
      return body(`should be less than or equal to ${limit}`);
    case 'minLength':
      return body(`should be at least ${limit} chars long`);
    case 'maxLength':
      return [
        { reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${limit} bytes` },
      ];
    case 'minItems':
    case 'maxItems':
      return body(`should have at ${error.keyword === 'minItems' ? 'least' : 'most'} ${limit} items`);
    case 'minProperties':
    case 'maxProperties':
      return body(
        `should have at ${error.keyword === 'minProperties' ? 'least' : 'most'} ${limit} properties`,
      );
    case 'additionalProperties':
      return [];
    default:
      return body(error.message ?? 'is not valid');
  }
}

/** `/spec/rules/0/host` as `spec.rules[0].host`. */
function fieldOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`),
      '',
    );
}

/** Lists that are sets or maps must not hold an item twice. */
function checkLists(value: unknown, schema: Schema, path: string, causes: Cause[]): void {
  if (isList(value)) {
    const keys = listMapKeys(schema);
    const unique = keys.length > 0 || schema['x-kubernetes-list-type'] === 'set';
    const seen = new Set<string>();
    value.forEach((item, i) => {
      const at = `${path}[${i}]`;
      const shown =
        keys.length > 0 && isRecord(item) ? Object.fromEntries(keys.map((key) => [key, item[key]])) : item;
      const id = JSON.stringify(shown);
      if (unique && seen.has(id)) causes.push(duplicate(at, shown));
      seen.add(id);
      if (schema.items !== undefined) checkLists(item, schema.items, at, causes);
    });
    return;
  }
  if (!isRecord(value)) return;
  for (const [field, item] of Object.entries(value)) {
    const inner = schemaOfField(schema, field);
    if (inner !== undefined) checkLists(item, inner, path === '' ? field : `${path}.${field}`, causes);
  }
}
