import { anyNumber, type HelperTable } from '../helper-spec.ts';
import { value } from './logic.ts';
import { isRecord } from '../../lib/is-record.ts';

/**
 * Looking into objects and lists. Missing steps give undefined, never an error. No helper may be called index, key, first or
 * last: Handlebars would take `@first` for a call of it.
 */
export const dataHelpers: HelperTable = {
  lookup: value(
    '`lookup object "key" …`: the value under the keys, one after the other.',
    [2, anyNumber],
    ([from, ...path]) => path.reduce(step, from),
  ),
  annotation: value(
    '`annotation object "name"`: an annotation of a Kubernetes object.',
    [2, 2],
    ([from, name]) => ['metadata', 'annotations', name].reduce(step, from),
  ),
  label: value('`label object "name"`: a label of a Kubernetes object.', [2, 2], ([from, name]) =>
    ['metadata', 'labels', name].reduce(step, from),
  ),
  length: value(
    'Number of items of a list, keys of an object or characters of a string; 0 for nothing.',
    [1, 1],
    ([from]) => {
      if (Array.isArray(from) || typeof from === 'string') return from.length;
      return isRecord(from) ? Object.keys(from).length : 0;
    },
  ),
  keys: value('The keys of an object, sorted.', [1, 1], ([from]) =>
    isRecord(from) ? Object.keys(from).sort() : [],
  ),
  firstOf: value('The first item of a list.', [1, 1], ([from]) => listOf(from)[0]),
  lastOf: value('The last item of a list.', [1, 1], ([from]) => listOf(from).at(-1)),
  includes: value('`includes list item`, or `includes text part`.', [2, 2], ([from, item]) =>
    typeof from === 'string' ? from.includes(textOf(item)) : listOf(from).includes(item),
  ),
  array: value('A list of its arguments.', [0, anyNumber], (args) => [...args]),
  pluck: value(
    '`pluck list "key" …`: the value under the keys, of each item.',
    [2, anyNumber],
    ([from, ...path]) => listOf(from).map((item) => path.reduce(step, item)),
  ),
  range: value('`range n`: the list 0 … n-1.', [1, 1], ([n]) => {
    const count = numberOf(n);
    if (!Number.isInteger(count) || count < 0 || count > 10_000)
      throw new RangeError('range takes 0 to 10000');
    return Array.from({ length: count }, (_, i) => i);
  }),
};

function step(from: unknown, key: unknown): unknown {
  if (Array.isArray(from)) return from[Number(key)] as unknown;
  return isRecord(from) && Object.hasOwn(from, String(key)) ? from[String(key)] : undefined;
}

export function listOf(from: unknown): readonly unknown[] {
  if (from === undefined || from === null) return [];
  if (Array.isArray(from)) return from;
  throw new RangeError('a list is needed here');
}

export function textOf(from: unknown): string {
  if (typeof from === 'string') return from;
  if (typeof from === 'number' || typeof from === 'boolean') return String(from);
  throw new RangeError(
    from === undefined || from === null ? 'there is no value here' : 'a text is needed here',
  );
}

export function numberOf(from: unknown): number {
  const number = typeof from === 'string' && from.trim() !== '' ? Number(from) : from;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new RangeError(`${typeof from === 'string' ? JSON.stringify(from) : typeof from} is not a number`);
}
