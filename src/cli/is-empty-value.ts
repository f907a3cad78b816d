import { isRecord } from '../lib/is-record.ts';

/** Whether a field with this value says as much as its absence. */
export function isEmptyValue(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  return Array.isArray(value)
    ? value.length === 0
    : isRecord(value) && Object.values(value).every(isEmptyValue);
}
