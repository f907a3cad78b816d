import { isRecord } from './is-record.ts';
import { maxNesting } from './max-nesting.ts';

/**
 * Plain data as JSON with sorted keys: equal data give equal text. A RangeError for what is no JSON, or nested without end. What JSON leaves as it is but
 * ends a line elsewhere (U+2028, U+2029, DEL, C1 controls) is escaped, so the text is on one line without `indent`.
 */
export function stableJson(value: unknown, indent = 0): string {
  if (value === undefined) throw new RangeError('there is no value here');
  return JSON.stringify(sorted(value, maxNesting), undefined, indent).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function sorted(value: unknown, depth: number): unknown {
  if (depth < 0) throw new RangeError(`the value is nested more than ${maxNesting} deep`);
  if (Array.isArray(value)) return value.map((item) => sorted(item, depth - 1));
  if (!isRecord(value)) {
    if (['string', 'number', 'boolean'].includes(typeof value) || value === null || value === undefined)
      return value;
    throw new RangeError(`a ${typeof value} is no JSON`);
  }
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key], depth - 1)]),
  );
}
