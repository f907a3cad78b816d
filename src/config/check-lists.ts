import type { StructuralSchema } from '../api/structural-schema.ts';
import { isRecord } from '../lib/is-record.ts';
import type { SchemaError } from './schema-checks.ts';

/** Items that a list has twice, where the schema says that it is a set, or that a key tells items apart. */
export function checkLists(schema: StructuralSchema, value: unknown): readonly SchemaError[] {
  const errors: SchemaError[] = [];
  const walk = (at: StructuralSchema, self: unknown, path: readonly string[]): void => {
    if (Array.isArray(self)) {
      const { items } = at;
      const seen = new Set<string>();
      self.forEach((item: unknown, index) => {
        const place = [...path, String(index)];
        const id = identity(at, item);
        if (id !== undefined && seen.has(id.text))
          errors.push({ path: [...place, ...id.field], message: `is ${id.text}, as of another before it` });
        if (id !== undefined) seen.add(id.text);
        if (items !== undefined) walk(items, item, place);
      });
    } else if (isRecord(self)) {
      const { properties = {}, additionalProperties } = at;
      for (const [key, item] of Object.entries(self)) {
        const inner = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
        if (inner !== undefined) walk(inner, item, [...path, key]);
      }
    }
  };
  walk(schema, value, []);
  return errors;
}

/** What tells an item from others, and the field that it stands in. */
function identity(
  schema: StructuralSchema,
  item: unknown,
): { readonly text: string; readonly field: readonly string[] } | undefined {
  if (schema['x-kubernetes-list-type'] === 'set') return { text: String(item), field: [] };
  const [key] = schema['x-kubernetes-list-map-keys'] ?? [];
  if (key === undefined || !isRecord(item)) return undefined;
  return { text: String(item[key]), field: [key] };
}
