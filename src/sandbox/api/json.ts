/** A JSON object whose fields are not known in advance. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** `value` as a list, or an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `value` as a string, or an empty one. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A scalar as text for a table cell; anything else is empty. */
export function cellText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

/** Follows field names through objects; `undefined` where the path ends early. */
export function getIn(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const field of path) {
    if (!isRecord(current)) return undefined;
    current = current[field];
  }
  return current;
}

/** A copy with the field at `path` set (or removed, for `undefined`); objects on the way are made. */
export function setIn(value: unknown, path: readonly string[], next: unknown): JsonRecord {
  const record = isRecord(value) ? value : {};
  const [field, ...rest] = path;
  if (field === undefined) return isRecord(next) ? next : {};
  if (rest.length > 0) return { ...record, [field]: setIn(record[field], rest, next) };
  return next === undefined ? without(record, field) : { ...record, [field]: next };
}

/** A copy without `field`; the same object when there is none. */
export function without(record: JsonRecord, field: string): JsonRecord {
  if (!Object.hasOwn(record, field)) return record;
  const { [field]: _, ...rest } = record;
  return rest;
}

/** Structural equality of JSON values; the order of fields does not count, `undefined` fields count as absent. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => jsonEqual(item, b[i]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  for (const key of Object.keys(a)) if (!jsonEqual(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (b[key] !== undefined && a[key] === undefined) return false;
  return true;
}
