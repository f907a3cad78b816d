import type { StructuralSchema } from '../api/structural-schema.ts';
import { isRecord } from '../lib/is-record.ts';

/**
 * The value without fields that are null, as an API server stores it: `maps:` with nothing behind it says nothing. Where a schema
 * lets anything in, null is a value like others. Shares what it does not change.
 */
export function dropNulls(value: unknown, schema: StructuralSchema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    const left: readonly unknown[] = value.map((item: unknown) => dropNulls(item, items));
    return left.some((item, index) => item !== value[index]) ? left : value;
  }
  const { properties = {}, additionalProperties } = schema;
  if (!isRecord(value) || (schema.properties === undefined && additionalProperties === undefined))
    return value;
  let isChanged = false;
  const kept: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    const inner = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    if (inner !== undefined && item === null) {
      isChanged = true;
      continue;
    }
    const left = inner === undefined ? item : dropNulls(item, inner);
    isChanged ||= left !== item;
    kept.push([key, left]);
  }
  return isChanged ? Object.fromEntries(kept) : value;
}
