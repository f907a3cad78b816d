import type { StructuralSchema } from '../api/structural-schema.ts';
import { isRecord } from '../lib/is-record.ts';

/**
 * The value without fields that are null, as an API server stores it: `maps:` with nothing behind it says nothing. Where a schema
 * lets anything in, null is a value like others. Shares what it does not change.
 */
export function dropNulls(value: unknown, schema: StructuralSchema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item: unknown) => dropNulls(item, items));
  }
  if (!isRecord(value)) return value;
  const { properties = {}, additionalProperties } = schema;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const inner = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
      if (inner === undefined) return [[key, item]];
      return item === null ? [] : [[key, dropNulls(item, inner)]];
    }),
  );
}
