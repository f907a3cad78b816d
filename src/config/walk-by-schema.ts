import type { StructuralSchema } from '../api/structural-schema.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Slices } from '../lib/slices.ts';

/** Values between two pauses. */
const batch = 128;

type Place = readonly [schema: StructuralSchema, value: unknown, path: readonly string[]];

/** Visits each value that a schema describes, with its schema: a value before those in it, in their order. */
export function* walkBySchema(
  schema: StructuralSchema,
  value: unknown,
  visit: (schema: StructuralSchema, value: unknown, path: readonly string[]) => void,
): Slices<void> {
  const left: Place[] = [[schema, value, []]];
  let count = 0;
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    visit(...place);
    left.push(...inside(place));
    if (++count % batch === 0) yield;
  }
}

/** The last one first. */
function inside([schema, value, path]: Place): readonly Place[] {
  const { items, properties, additionalProperties } = schema;
  const places: Place[] = [];
  if (Array.isArray(value) && items !== undefined)
    value.forEach((item: unknown, index) => places.push([items, item, [...path, String(index)]]));
  else if (isRecord(value) && (properties !== undefined || additionalProperties !== undefined))
    for (const [key, item] of Object.entries(value)) {
      const inner =
        properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
      if (inner !== undefined) places.push([inner, item, [...path, key]]);
    }
  return places.reverse();
}
