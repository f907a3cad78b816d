import { isList, isRecord } from './json.ts';
import { listMapKeys, schemaOfField, type Schema } from './schema.ts';

/**
 * The first item that a list with items by key has twice, in the words of kube-apiserver:
 * `.spec.refs: duplicate entries for key [name="a"]`.
 */
export function repeatedItem(value: unknown, schema: Schema | undefined, path = ''): string | undefined {
  if (isList(value)) {
    const keys = listMapKeys(schema);
    const seen = new Set<string>();
    for (const item of value) {
      const shown = keys.map((key) => `${key}=${JSON.stringify(isRecord(item) ? item[key] : undefined)}`);
      const id = shown.join(',');
      if (keys.length > 0 && seen.has(id)) return `${path}: duplicate entries for key [${id}]`;
      seen.add(id);
    }
    return first(value.map((item, i) => () => repeatedItem(item, schema?.items, `${path}[${i}]`)));
  }
  if (!isRecord(value)) return undefined;
  return first(
    Object.entries(value).map(
      ([field, item]) =>
        () =>
          repeatedItem(item, schemaOfField(schema, field), `${path}.${field}`),
    ),
  );
}

function first(looks: readonly (() => string | undefined)[]): string | undefined {
  for (const look of looks) {
    const found = look();
    if (found !== undefined) return found;
  }
  return undefined;
}
