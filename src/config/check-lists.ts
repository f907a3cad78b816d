import type { StructuralSchema } from '../api/structural-schema.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Slices } from '../lib/slices.ts';
import type { SchemaError } from './schema-checks.ts';
import { walkBySchema } from './walk-by-schema.ts';

/** Items that a list has twice, where the schema says that it is a set, or that a key tells items apart. */
export function* checkLists(schema: StructuralSchema, value: unknown): Slices<readonly SchemaError[]> {
  const errors: SchemaError[] = [];
  yield* walkBySchema(schema, value, (at, self, path) => {
    if (!Array.isArray(self)) return;
    const seen = new Set<string>();
    self.forEach((item: unknown, index) => {
      const id = identity(at, item);
      if (id === undefined) return;
      if (seen.has(id.text))
        errors.push({
          path: [...path, String(index), ...id.field],
          message: `is ${id.text}, as of another before it`,
        });
      seen.add(id.text);
    });
  });
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
