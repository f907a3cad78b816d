import { apiError } from './api-status.ts';
import { isRecord, jsonEqual, listOf, type JsonRecord } from './json.ts';
import { schemaOfField, type Schema } from './schema.ts';

const directive = /^\$(?:patch|retainKeys|setElementOrder\/.*|deleteFromPrimitiveList\/.*)$/;

/**
 * Strategic merge patch: a merge patch in which lists with `x-kubernetes-patch-merge-key` merge item by item and lists
 * of scalars with the strategy `merge` unite. Directives: `$patch: delete | replace | merge`, `$retainKeys`,
 * `$setElementOrder/<list>`, `$deleteFromPrimitiveList/<list>`.
 */
export function strategicMerge(target: unknown, patch: unknown, schema: Schema | undefined): unknown {
  if (!isRecord(patch)) return patch;
  if (patch['$patch'] === 'replace') return withoutDirectives(patch);
  if (patch['$patch'] === 'delete') return undefined;
  const base = retainKeys(isRecord(target) ? target : {}, patch);
  const merged: Record<string, unknown> = { ...base };
  for (const [field, value] of Object.entries(patch)) {
    if (directive.test(field)) continue;
    const inner = schemaOfField(schema, field);
    if (value === null) Reflect.deleteProperty(merged, field);
    else if (Array.isArray(value)) merged[field] = mergeList(merged[field], value, inner);
    else {
      const next = strategicMerge(merged[field], value, inner);
      if (next === undefined) Reflect.deleteProperty(merged, field);
      else merged[field] = next;
    }
  }
  for (const [field, value] of Object.entries(patch)) {
    if (field.startsWith('$deleteFromPrimitiveList/')) removeScalars(merged, field.slice(25), listOf(value));
    if (field.startsWith('$setElementOrder/')) orderList(merged, field.slice(17), listOf(value), schema);
  }
  return merged;
}

function retainKeys(target: JsonRecord, patch: JsonRecord): JsonRecord {
  const keep = patch['$retainKeys'];
  if (!Array.isArray(keep)) return target;
  return Object.fromEntries(Object.entries(target).filter(([field]) => keep.includes(field)));
}

function mergeList(current: unknown, patch: readonly unknown[], schema: Schema | undefined): unknown {
  const strategy = schema?.['x-kubernetes-patch-strategy'] ?? '';
  if (!strategy.split(',').includes('merge')) return patch.map(withoutDirectives);
  const key = schema?.['x-kubernetes-patch-merge-key'];
  const have = listOf(current);
  if (key === undefined)
    return [...have, ...patch.filter((item) => !have.some((old) => jsonEqual(old, item)))];
  if (patch.some((item) => isRecord(item) && item['$patch'] === 'replace'))
    return patch.filter((item) => !(isRecord(item) && item['$patch'] === 'replace'));
  return mergeByKey(have, patch, key, schema?.items);
}

function mergeByKey(
  current: readonly unknown[],
  patch: readonly unknown[],
  key: string,
  schema: Schema | undefined,
): unknown[] {
  let merged = [...current];
  for (const item of patch) {
    if (!isRecord(item) || item[key] === undefined)
      throw apiError(400, `map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    const same = (other: unknown) => isRecord(other) && jsonEqual(other[key], item[key]);
    if (item['$patch'] === 'delete') merged = merged.filter((other) => !same(other));
    else if (merged.some(same)) {
      merged = merged.map((other) => (same(other) ? strategicMerge(other, item, schema) : other));
    } else merged.push(withoutDirectives(item));
  }
  return merged;
}

function removeScalars(merged: Record<string, unknown>, field: string, gone: readonly unknown[]): void {
  merged[field] = listOf(merged[field]).filter((item) => !gone.some((other) => jsonEqual(other, item)));
}

/** Items named by the order come in that order; the others keep their place behind the item they followed. */
function orderList(
  merged: Record<string, unknown>,
  field: string,
  order: readonly unknown[],
  schema: Schema | undefined,
): void {
  const list = merged[field];
  if (!Array.isArray(list)) return;
  const key = schemaOfField(schema, field)?.['x-kubernetes-patch-merge-key'];
  const idOf = (item: unknown) =>
    JSON.stringify(key !== undefined && isRecord(item) ? (item[key] ?? null) : item);
  const rank = new Map(order.map((item, i) => [idOf(item), i]));
  let last = -1;
  const ranked = list.map((item: unknown) => {
    last = rank.get(idOf(item)) ?? last;
    return { item, rank: last };
  });
  merged[field] = ranked.sort((a, b) => a.rank - b.rank).map((entry) => entry.item);
}

function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([field, item]) => !directive.test(field) && item !== null)
      .map(([field, item]) => [field, withoutDirectives(item)]),
  );
}
