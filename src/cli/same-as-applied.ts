import { isRecord } from '../lib/is-record.ts';
import { isEmptyValue } from './is-empty-value.ts';

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
    if (!isRecord(held)) return Object.values(applied).every(isEmptyValue);
    return Object.entries(applied).every(([key, value]) =>
      key in held ? sameAsApplied(value, held[key]) : isEmptyValue(value),
    );
  }
  return applied === held;
}
