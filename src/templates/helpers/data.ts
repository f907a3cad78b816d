import { isRecord } from '../../lib/is-record.ts';
import { jsonPathValues } from '../../lib/json-path.ts';
import { anyNumber, type HelperTable } from '../helper-spec.ts';
import { valueHelper as value } from '../value-helper.ts';
import { listOf, textOf } from './arguments.ts';
import { keywordOrder } from './server-line.ts';

/**
 * Looking into objects, and making some. Missing steps give undefined, never an error. No helper may be called index, key, first
 * or last: Handlebars would take `@first` for a call of it.
 */
export const dataHelpers: HelperTable = {
  lookup: value(
    'lookup object "key" …',
    'The value under the keys, one after the other; nothing if a step is missing. An index is a key of a list.',
    [2, anyNumber],
    ([from, ...path]) => path.reduce(step, from),
    '{{lookup w "spec" "ports" 1}}',
  ),
  query: value(
    'query object "spec.rules[*].host"',
    'A list of the values under a path, as `indexBy` takes it.',
    [2, 2],
    ([from, path]) => jsonPathValues(textOf(path))(from),
    '{{join (query w "spec.routes[*].path") ","}}',
  ),
  annotation: value(
    'annotation object "name"',
    'An annotation of a Kubernetes object.',
    [2, 2],
    ([from, name]) => ['metadata', 'annotations', name].reduce(step, from),
    '{{annotation w "example.com/tier"}}',
  ),
  label: value(
    'label object "name"',
    'A label of a Kubernetes object.',
    [2, 2],
    ([from, name]) => ['metadata', 'labels', name].reduce(step, from),
    '{{label w "app"}}',
  ),
  length: value(
    'length x',
    'Number of items of a list, keys of an object or characters of a text; 0 for nothing.',
    [1, 1],
    ([from]) => {
      if (Array.isArray(from) || typeof from === 'string') return from.length;
      return isRecord(from) ? Object.keys(from).length : 0;
    },
    '{{length w.spec.ports}} {{length w.spec.missing}}',
  ),
  keys: value(
    'keys object',
    'The keys of an object, sorted.',
    [1, 1],
    ([from]) => sortedKeys(from),
    '{{join (keys w.spec.limits) ","}}',
  ),
  values: value(
    'values object',
    'The values of an object, in the order of its keys.',
    [1, 1],
    ([from]) => sortedKeys(from).map((key) => step(from, key)),
    '{{join (values w.spec.limits) ","}}',
  ),
  entries: value(
    'entries object',
    'The `key` and `value` of an object’s entries as a list, in the order of the keys.',
    [1, 1],
    ([from]) => sortedKeys(from).map((key) => ({ key, value: step(from, key) })),
    '{{#each (sortBy (entries w.spec.limits) "value") as |e|}}{{e.key}}={{e.value}} {{/each}}',
  ),
  hasKey: value(
    'hasKey object "key"',
    'True if the object has the key, whatever is under it.',
    [2, 2],
    ([from, key]) => isRecord(from) && Object.hasOwn(from, textOf(key)),
    '{{hasKey w.spec "color"}} {{hasKey w.spec "missing"}}',
  ),
  object: {
    signature: 'object key=value …',
    summary: 'An object of its named arguments.',
    example: '{{lookup (object color=w.spec.color size=3) "size"}}',
    output: 'value',
    args: [0, 0],
    hash: 'any',
    call: (_args, scope) => Object.fromEntries(keywordOrder(scope.options.hash)),
  },
  merge: value(
    'merge a b …',
    'An object with the keys of all; of one key, the last has it. Nothing counts as an empty object.',
    [1, anyNumber],
    (args) => Object.fromEntries(args.flatMap((arg) => Object.entries(objectOf(arg)))),
    '{{lookup (merge w.spec.limits (object rate=9)) "rate"}}',
  ),
  without: value(
    'without object "key" …',
    'The object without these keys.',
    [2, anyNumber],
    ([from, ...keys]) => {
      const gone = new Set(keys.flat().map(textOf));
      return Object.fromEntries(Object.entries(objectOf(from)).filter(([key]) => !gone.has(key)));
    },
    '{{join (keys (without w.spec.limits "rate")) ","}}',
  ),
  toList: value(
    'toList x',
    'The list itself; anything else as a list of one, nothing as an empty list.',
    [1, 1],
    ([from]) => (Array.isArray(from) ? listOf(from) : from === undefined || from === null ? [] : [from]),
    '{{length (toList w.spec.color)}}',
  ),
  array: value(
    'array a b …',
    'A list of its arguments.',
    [0, anyNumber],
    (args) => [...args],
    '{{join (array "a" w.spec.color 3) "/"}}',
  ),
  pluck: value(
    'pluck list "key" …',
    'The value under the keys, of each item.',
    [2, anyNumber],
    ([from, ...path]) => listOf(from).map((item) => path.reduce(step, item)),
    '{{join (pluck w.spec.routes "path") ","}}',
  ),
};

function step(from: unknown, key: unknown): unknown {
  if (Array.isArray(from)) return from[Number(key)] as unknown;
  return isRecord(from) && Object.hasOwn(from, String(key)) ? from[String(key)] : undefined;
}

function sortedKeys(from: unknown): string[] {
  return isRecord(from) ? Object.keys(from).sort() : [];
}

function objectOf(from: unknown): Readonly<Record<string, unknown>> {
  if (from === undefined || from === null) return {};
  if (isRecord(from) && !Array.isArray(from)) return from;
  throw new RangeError('an object is needed here');
}
