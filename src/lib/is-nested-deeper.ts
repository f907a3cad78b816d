import { isRecord } from './is-record.ts';

/**
 * Whether plain data has lists and objects within each other more than `limit` levels deep: not to be walked by recursion, which ends
 * the program's stack at some thousands. Itself no deeper than the limit, so that must be some hundreds at most.
 */
export function isNestedDeeper(value: unknown, limit: number): boolean {
  if (Array.isArray(value)) {
    if (limit === 0) return true;
    for (const item of value) if (isNestedDeeper(item, limit - 1)) return true;
  } else if (isRecord(value)) {
    if (limit === 0) return true;
    // No list of what is in it: such lists cost more than all the rest.
    for (const key in value) if (isNestedDeeper(value[key], limit - 1)) return true;
  }
  return false;
}
