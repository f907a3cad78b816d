import { anyNumber, type HelperSpec, type HelperTable } from '../helper-spec.ts';

/** What `if` takes for false: false, null, undefined, 0, NaN, the empty string and the empty list. */
export function isTruthy(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** Comparisons and boolean logic. Comparisons are strict, numbers and strings are never equal. */
export const logicHelpers: HelperTable = {
  eq: comparison('True if both are equal.', (a, b) => a === b),
  ne: comparison('True if they differ.', (a, b) => a !== b),
  lt: comparison('True if the first is less.', (a, b) => ordered(a, b) && a < b),
  le: comparison('True if the first is less or equal.', (a, b) => ordered(a, b) && a <= b),
  gt: comparison('True if the first is greater.', (a, b) => ordered(a, b) && a > b),
  ge: comparison('True if the first is greater or equal.', (a, b) => ordered(a, b) && a >= b),
  and: value('True if all are true.', [1, anyNumber], (args) => args.every(isTruthy)),
  or: value('True if any is true.', [1, anyNumber], (args) => args.some(isTruthy)),
  not: value('True if it is false.', [1, 1], ([a]) => !isTruthy(a)),
  default: value('The first argument that is neither null nor undefined nor empty.', [2, anyNumber], (args) =>
    args.find((arg) => arg !== undefined && arg !== null && arg !== ''),
  ),
  choose: value('`choose condition a b`: a if the condition is true, else b.', [3, 3], ([condition, a, b]) =>
    isTruthy(condition) ? a : b,
  ),
  defined: value('True if it is neither null nor undefined.', [1, 1], ([a]) => a !== undefined && a !== null),
};

export function value(
  summary: string,
  args: readonly [number, number],
  call: (args: readonly unknown[]) => unknown,
): HelperSpec {
  return { summary, output: 'value', args, call };
}

function comparison(
  summary: string,
  compare: (a: string | number, b: string | number) => boolean,
): HelperSpec {
  return value(summary, [2, 2], ([a, b]) => compare(a as string | number, b as string | number));
}

function ordered(a: unknown, b: unknown): boolean {
  if ((typeof a === 'number' && typeof b === 'number') || (typeof a === 'string' && typeof b === 'string'))
    return true;
  throw new RangeError('only two numbers or two strings can be compared by size');
}
