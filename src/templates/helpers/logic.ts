import { anyNumber, type HelperSpec, type HelperTable } from '../helper-spec.ts';
import { valueHelper as value } from '../value-helper.ts';

/** What `if` takes for false: false, null, undefined, 0, NaN, the empty string and the empty list. */
export function isTruthy(given: unknown): boolean {
  return Array.isArray(given) ? given.length > 0 : Boolean(given);
}

/** Comparisons and boolean logic. Comparisons are strict, numbers and strings are never equal. */
export const logicHelpers: HelperTable = {
  eq: comparison(
    'eq',
    'True if both are equal.',
    (a, b) => a === b,
    '{{eq w.spec.color "red"}} {{eq 1 "1"}}',
  ),
  ne: comparison('ne', 'True if they differ.', (a, b) => a !== b, '{{ne w.spec.color "red"}}'),
  lt: comparison(
    'lt',
    'True if the first is less.',
    (a, b) => ordered(a, b) && a < b,
    '{{lt 9 10}} {{lt "9" "10"}}',
  ),
  le: comparison(
    'le',
    'True if the first is less or equal.',
    (a, b) => ordered(a, b) && a <= b,
    '{{le w.spec.replicas 3}}',
  ),
  gt: comparison(
    'gt',
    'True if the first is greater.',
    (a, b) => ordered(a, b) && a > b,
    '{{gt w.spec.replicas 3}}',
  ),
  ge: comparison(
    'ge',
    'True if the first is greater or equal.',
    (a, b) => ordered(a, b) && a >= b,
    '{{ge w.spec.replicas 3}}',
  ),
  and: value(
    'and a b …',
    'True if all are true.',
    [1, anyNumber],
    (args) => args.every(isTruthy),
    '{{#if (and w.spec.color (gt w.spec.replicas 1))}}both{{/if}}',
  ),
  or: value(
    'or a b …',
    'True if any is true.',
    [1, anyNumber],
    (args) => args.some(isTruthy),
    '{{#if (or w.spec.missing w.spec.color)}}one{{/if}}',
  ),
  not: value('not a', 'True if it is false.', [1, 1], ([a]) => !isTruthy(a), '{{not w.spec.missing}}'),
  default: value(
    'default a b …',
    'The first argument that is neither null nor undefined nor empty text.',
    [2, anyNumber],
    (args) => args.find((arg) => arg !== undefined && arg !== null && arg !== ''),
    '{{default w.spec.missing "" "grey"}}',
  ),
  fallback: value(
    'fallback a b',
    'The first, unless it is null or undefined: the empty text, 0 and false are kept.',
    [2, 2],
    ([a, b]) => a ?? b,
    '{{fallback w.spec.missing "grey"}} {{fallback 0 1}}',
  ),
  choose: value(
    'choose condition a b',
    'The second if the condition is true, else the third.',
    [3, 3],
    ([condition, a, b]) => (isTruthy(condition) ? a : b),
    '{{choose (gt w.spec.replicas 1) "many" "one"}}',
  ),
  defined: value(
    'defined a',
    'True if it is neither null nor undefined.',
    [1, 1],
    ([a]) => a !== undefined && a !== null,
    '{{defined w.spec.color}} {{defined w.spec.missing}}',
  ),
};

function comparison(
  name: string,
  summary: string,
  compare: (a: string | number, b: string | number) => boolean,
  example: string,
): HelperSpec {
  const call = ([a, b]: readonly unknown[]) => compare(a as string | number, b as string | number);
  return value(`${name} a b`, summary, [2, 2], call, example);
}

function ordered(a: unknown, b: unknown): boolean {
  if ((typeof a === 'number' && typeof b === 'number') || (typeof a === 'string' && typeof b === 'string'))
    return true;
  throw new RangeError('only two numbers or two strings can be compared by size');
}
