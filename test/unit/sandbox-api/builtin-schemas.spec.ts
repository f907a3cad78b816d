import * as models from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { builtinTypes } from '../../../src/sandbox/api/builtin/builtin-types.ts';
import { isRecord } from '../../../src/sandbox/api/json.ts';
import { apiVersionOf, type ResourceType } from '../../../src/sandbox/api/resource-type.ts';
import type { Schema } from '../../../src/sandbox/api/schema.ts';

interface Attribute {
  readonly baseName: string;
  readonly type: string;
}

/** client-node's own list of the fields of a model: an account of the Kubernetes API independent of ours. */
function attributesOf(model: string): readonly Attribute[] | undefined {
  const found: unknown = Reflect.get(models, model);
  if (typeof found !== 'function' || !('getAttributeTypeMap' in found)) return undefined;
  return (found as unknown as { getAttributeTypeMap(): readonly Attribute[] }).getAttributeTypeMap();
}

function modelOf(type: ResourceType): string {
  const version = type.version.charAt(0).toUpperCase() + type.version.slice(1);
  if (type.kind === 'Event') return type.group === '' ? 'CoreV1Event' : 'EventsV1Event';
  return `${version}${type.kind}`;
}

/** Compares a schema with a model, field by field, down to the leaves; gives the differences. */
function compare(schema: Schema, model: string, path: string, seen: Set<string>, found: string[]): void {
  const attributes = attributesOf(model);
  if (attributes === undefined || seen.has(model)) return;
  seen.add(model);
  const properties = schema.properties ?? {};
  const known = new Map(attributes.map((attribute) => [attribute.baseName, attribute.type]));
  for (const [name, property] of Object.entries(properties)) {
    const type = known.get(name);
    if (type === undefined) {
      found.push(`${path}.${name} is in our table only`);
      continue;
    }
    const inner = /^(?:Array<)?(\w+?)>?$/.exec(type)?.[1] ?? '';
    const isList = type.startsWith('Array<');
    if (isList !== (property.type === 'array'))
      found.push(`${path}.${name} is ${type}, not ${String(property.type)}`);
    const item = isList ? (property.items ?? {}) : property;
    const expected: Readonly<Record<string, string>> = {
      string: 'string',
      number: 'integer',
      boolean: 'boolean',
      Date: 'string',
    };
    const free =
      item['x-kubernetes-preserve-unknown-fields'] === true || item['x-kubernetes-int-or-string'] === true;
    if (!free && expected[inner] !== undefined && item.type !== expected[inner])
      found.push(`${path}.${name} is ${type}, not ${String(item.type)}`);
    if (isRecord(item.properties)) compare(item, inner, `${path}.${name}`, seen, found);
  }
}

const documented = builtinTypes().filter((type) => type.schema.properties !== undefined);

describe('the tables of built-in kinds', () => {
  it.each(documented.map((type) => [`${apiVersionOf(type)} ${type.kind}`, type] as const))(
    'describe %s as the API does',
    (_, type) => {
      expect(attributesOf(modelOf(type)), 'the model of the kind').toBeDefined();
      const found: string[] = [];
      compare(type.schema, modelOf(type), type.kind, new Set(), found);
      expect(found).toEqual([]);
    },
  );

  it.each([
    ['Ingress', 'networking.k8s.io'],
    ['IngressClass', 'networking.k8s.io'],
    ['Service', ''],
    ['EndpointSlice', 'discovery.k8s.io'],
    ['Secret', ''],
    ['ConfigMap', ''],
    ['Namespace', ''],
    ['Lease', 'coordination.k8s.io'],
  ])('know every field of %s', (kind, group) => {
    const type = documented.find((one) => one.kind === kind && one.group === group);
    const missing: string[] = [];
    const visit = (schema: Schema, model: string, path: string) => {
      for (const { baseName, type: text } of attributesOf(model) ?? []) {
        const property = schema.properties?.[baseName];
        if (property === undefined) missing.push(`${path}.${baseName}`);
        else if (baseName !== 'metadata') {
          const inner = /^(?:Array<)?(\w+?)>?$/.exec(text)?.[1] ?? '';
          visit(property.items ?? property, inner, `${path}.${baseName}`);
        }
      }
    };
    if (type === undefined) throw new Error(`no ${kind}`);
    visit(type.schema, modelOf(type), kind);
    expect(missing).toEqual([]);
  });

  it('give every field a protobuf number of its own', () => {
    const clashes: string[] = [];
    const visited = new Set<Schema>();
    const visit = (schema: Schema, name: string) => {
      if (visited.has(schema)) return;
      visited.add(schema);
      const numbers = new Set<string>();
      for (const [field, property] of Object.entries(schema.properties ?? {})) {
        const number = property.proto?.join('.');
        if (number !== undefined && numbers.has(number)) clashes.push(`${name}.${field}`);
        if (number !== undefined) numbers.add(number);
        visit(property.items ?? property, `${name}.${field}`);
      }
    };
    for (const type of documented) visit(type.schema, type.kind);
    expect(clashes).toEqual([]);
  });
});
