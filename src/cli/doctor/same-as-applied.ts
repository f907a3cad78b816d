import { isRecord } from '../../lib/is-record.ts';

/**
 * Whether an object of the API server has all that was applied: fields that the server adds by itself are no difference, and neither are
 * fields that were applied with the value that stands for their absence.
 */
export function sameAsApplied(applied: unknown, held: unknown): boolean {
  if (Array.isArray(applied))
    return (
      Array.isArray(held) &&
      applied.length === held.length &&
      applied.every((item, index) => sameAsApplied(item, held[index]))
    );
  if (isRecord(applied)) {
    if (!isRecord(held)) return Object.values(applied).every(isEmpty);
    return Object.entries(applied).every(([key, value]) =>
      key in held ? sameAsApplied(value, held[key]) : isEmpty(value),
    );
  }
  return applied === held;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  return Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.values(value).every(isEmpty);
}
