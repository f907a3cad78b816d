import type { StructuralSchema } from '../api/structural-schema.ts';
import { isRecord } from '../lib/is-record.ts';

/** A copy into which the defaults of a schema can be written: what the schema does not describe is shared. */
export function copyBySchema(value: unknown, schema: StructuralSchema): unknown {
  const { items, properties, additionalProperties } = schema;
  if (Array.isArray(value))
    return items === undefined ? value : value.map((item: unknown) => copyBySchema(item, items));
  if (!isRecord(value) || (properties === undefined && additionalProperties === undefined)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const inner =
        properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
      return [key, inner === undefined ? item : copyBySchema(item, inner)];
    }),
  );
}
