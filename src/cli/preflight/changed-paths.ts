import { isRecord } from '../../lib/is-record.ts';
import { isEmptyValue } from '../is-empty-value.ts';
import { sameAsApplied } from '../same-as-applied.ts';

/**
 * Where two values differ, as paths without the values: `spec.containers.agent.image`. Items of lists count by their name where they have
 * one. A field that is absent on one side and empty on the other is no difference.
 */
export function changedPaths(before: unknown, after: unknown, path = ''): readonly string[] {
  const below = (name: string) => (path === '' ? name : `${path}.${name}`);
  const [left, right] = [fieldsOf(before), fieldsOf(after)];
  if (left !== undefined && right !== undefined)
    return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((name) =>
      changedPaths(left[name], right[name], below(name)),
    );
  if (isEmptyValue(before) && isEmptyValue(after)) return [];
  return sameAsApplied(before, after) && sameAsApplied(after, before) ? [] : [path];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (isRecord(value)) return value;
  if (!Array.isArray(value)) return undefined;
  const names = value.map((item) =>
    isRecord(item) && typeof item['name'] === 'string' ? item['name'] : undefined,
  );
  if (value.length === 0 || names.includes(undefined) || new Set(names).size < names.length) return undefined;
  return Object.fromEntries(names.map((name, index) => [String(name), value[index]]));
}
