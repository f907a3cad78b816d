import { isList, isRecord } from '../json.ts';
import { schemaOfField, type Schema } from '../schema.ts';

/**
 * Fills in the defaults of a structural schema, from the outside in. A field that is `null` where the schema does not allow it
 * counts as absent, with a default or without; an item of a list does not.
 */
export function applyDefaults(value: unknown, schema: Schema): unknown {
  if (isList(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item) => applyDefaults(item, items));
  }
  if (!isRecord(value)) return value;
  const next: Record<string, unknown> = { ...value };
  for (const [field, property] of Object.entries(schema.properties ?? {})) {
    const absent = next[field] === undefined || (next[field] === null && property.nullable !== true);
    if (absent && property.default !== undefined) next[field] = structuredClone(property.default);
  }
  for (const [field, item] of Object.entries(next)) {
    const inner = schemaOfField(schema, field);
    if (inner === undefined) continue;
    if (item === null && inner.type !== undefined && inner.nullable !== true)
      Reflect.deleteProperty(next, field);
    else next[field] = applyDefaults(item, inner);
  }
  return next;
}
