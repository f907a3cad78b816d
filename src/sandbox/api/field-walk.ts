import { childOf, emptyFieldSet, isEmptyFieldSet, type FieldSet } from './field-set.ts';
import { isList, isRecord, jsonEqual, listOf, type JsonRecord } from './json.ts';
import { listMapKeys, schemaOfField, type Schema } from './schema.ts';

/** How a value is owned: field by field, item by item, or as a whole (`leaf`). */
type Grain = 'map' | 'keyed' | 'set' | 'leaf';

export interface Comparison {
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/** The fields that `value` states, as an applied configuration owns them. */
export function fieldsOf(value: unknown, schema: Schema | undefined): FieldSet {
  const set = emptyFieldSet();
  collect(value, schema, set, false);
  return set;
}

/** What differs from `before` to `after`: added or modified fields, and removed ones. */
export function compareFields(before: unknown, after: unknown, schema: Schema | undefined): Comparison {
  const comparison = { changed: emptyFieldSet(), removed: emptyFieldSet() };
  compare(before, after, schema, comparison.changed, comparison.removed);
  return comparison;
}

/** Server-side apply's merge: what `config` states replaces or joins what `live` has; nothing is removed. */
export function mergeConfiguration(live: unknown, config: unknown, schema: Schema | undefined): unknown {
  if (config === null || config === undefined) return live;
  const grain = grainOf(config, schema);
  if (grain === 'map' && isRecord(config) && isRecord(live)) {
    const merged: Record<string, unknown> = { ...live };
    for (const field of Object.keys(config))
      merged[field] = mergeConfiguration(live[field], config[field], schemaOfField(schema, field));
    return merged;
  }
  if (grain === 'keyed' && isList(live)) {
    const wanted = new Map(listOf(config).map((item) => [elementOf(item, schema), item]));
    const merged = live.map((item) => {
      const element = elementOf(item, schema);
      const stated = wanted.get(element);
      wanted.delete(element);
      return stated === undefined ? item : mergeConfiguration(item, stated, schema?.items);
    });
    return [...merged, ...wanted.values()];
  }
  if (grain === 'set' && isList(live))
    return [...live, ...listOf(config).filter((item) => !live.some((have) => jsonEqual(have, item)))];
  return config;
}

/**
 * Removes the members of `gone` from `value`, except containers in which `kept` still has something. A container that
 * runs empty goes too, unless `kept` has it.
 */
export function removeFields(
  value: unknown,
  gone: FieldSet,
  kept: FieldSet | undefined,
  schema: Schema | undefined,
): unknown {
  if (gone.member && (kept === undefined || isEmptyFieldSet(kept))) return undefined;
  const grain = grainOf(value, schema);
  if (grain === 'map' && isRecord(value)) {
    const rest: Record<string, unknown> = {};
    for (const [field, item] of Object.entries(value)) {
      const next = descend(item, gone, kept, `f:${field}`, schemaOfField(schema, field));
      if (next !== undefined) rest[field] = next;
    }
    return Object.keys(rest).length === 0 && Object.keys(value).length > 0 && kept?.member !== true
      ? undefined
      : rest;
  }
  if (grain === 'leaf') return value;
  const items = listOf(value)
    .map((item) => descend(item, gone, kept, elementOf(item, schema), schema?.items))
    .filter((item) => item !== undefined);
  return items.length === 0 && listOf(value).length > 0 && kept?.member !== true ? undefined : items;
}

function descend(
  item: unknown,
  gone: FieldSet,
  kept: FieldSet | undefined,
  element: string,
  schema: Schema | undefined,
): unknown {
  const child = gone.children.get(element);
  return child === undefined ? item : removeFields(item, child, kept?.children.get(element), schema);
}

function collect(value: unknown, schema: Schema | undefined, set: FieldSet, containers: boolean): void {
  const grain = grainOf(value, schema);
  const empty = isRecord(value)
    ? Object.keys(value).length === 0
    : Array.isArray(value) && value.length === 0;
  if (grain === 'leaf' || empty) {
    set.member = true;
    return;
  }
  if (containers) set.member = true;
  if (grain === 'map' && isRecord(value)) {
    for (const [field, item] of Object.entries(value)) {
      if (item === undefined) continue;
      const child = childOf(set, `f:${field}`);
      collect(item, schemaOfField(schema, field), child, containers);
      if (schema?.properties?.[field] === undefined) child.member = true;
    }
    return;
  }
  for (const item of listOf(value)) {
    const child = childOf(set, elementOf(item, schema));
    child.member = true;
    if (grain === 'keyed') collect(item, schema?.items, child, containers);
  }
}

function compare(
  before: unknown,
  after: unknown,
  schema: Schema | undefined,
  changed: FieldSet,
  removed: FieldSet,
): void {
  if (before === after) return;
  if (after === undefined) {
    collect(before, schema, removed, true);
    return;
  }
  if (before === undefined) {
    collect(after, schema, changed, true);
    return;
  }
  const grain = grainOf(after, schema);
  if (grain === 'leaf' || grain !== grainOf(before, schema)) {
    if (!jsonEqual(before, after)) changed.member = true;
    return;
  }
  const old = partsOf(before, schema, grain);
  const now = partsOf(after, schema, grain);
  for (const element of new Set([...old.keys(), ...now.keys()])) {
    const was = old.get(element);
    const is = now.get(element);
    if (was === is) continue;
    const inner =
      grain === 'map'
        ? schemaOfField(schema, element.slice(2))
        : grain === 'keyed'
          ? schema?.items
          : undefined;
    if (grain === 'set') {
      if (was === undefined) childOf(changed, element).member = true;
      else if (is === undefined) childOf(removed, element).member = true;
    } else compare(was, is, inner, childOf(changed, element), childOf(removed, element));
  }
}

function partsOf(value: unknown, schema: Schema | undefined, grain: Grain): Map<string, unknown> {
  if (grain === 'map' && isRecord(value))
    return new Map(Object.entries(value).map(([field, item]) => [`f:${field}`, item]));
  return new Map(listOf(value).map((item) => [elementOf(item, schema), item]));
}

function grainOf(value: unknown, schema: Schema | undefined): Grain {
  if (isRecord(value)) return schema?.['x-kubernetes-map-type'] === 'atomic' ? 'leaf' : 'map';
  if (!Array.isArray(value)) return 'leaf';
  const type = schema?.['x-kubernetes-list-type'];
  if (type === 'set') return 'set';
  return type === 'map' && value.every(isRecord) ? 'keyed' : 'leaf';
}

function elementOf(item: unknown, schema: Schema | undefined): string {
  const keys = listMapKeys(schema);
  if (keys.length === 0 || !isRecord(item)) return `v:${JSON.stringify(item)}`;
  return `k:${JSON.stringify(keyValues(item, keys, schema?.items))}`;
}

/** The key fields of an item; one left out stands for its default (`protocol: TCP`). */
function keyValues(item: JsonRecord, keys: readonly string[], schema: Schema | undefined): JsonRecord {
  const values: Record<string, unknown> = {};
  for (const key of keys.toSorted()) {
    const value = item[key] ?? schema?.properties?.[key]?.default;
    if (value !== undefined) values[key] = value;
  }
  return values;
}
