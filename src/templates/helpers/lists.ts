import { jsonPathValues } from '../../lib/json-path.ts';
import { anyNumber, type HelperTable } from '../helper-spec.ts';
import { compareValues, sortCriterion } from '../sort-criterion.ts';
import { valueHelper as value } from '../value-helper.ts';
import { countOf, listOf, numberOf, textOf } from './arguments.ts';
import { tests } from './item-tests.ts';

const longest = 10_000;

/** Lists from lists. None changes what it is given, and what has an order depends on the items alone. */
export const listHelpers: HelperTable = {
  firstOf: value(
    'firstOf list',
    'The first item of a list.',
    [1, 1],
    ([from]) => listOf(from)[0],
    '{{firstOf w.spec.ports}}',
  ),
  lastOf: value(
    'lastOf list',
    'The last item of a list.',
    [1, 1],
    ([from]) => listOf(from).at(-1),
    '{{lastOf w.spec.ports}}',
  ),
  includes: value(
    'includes list item',
    'True if the list has the item, or the text has the part.',
    [2, 2],
    ([from, item]) => (typeof from === 'string' ? from.includes(textOf(item)) : listOf(from).includes(item)),
    '{{includes w.spec.ports 443}} {{includes w.spec.color "ed"}}',
  ),
  append: value(
    'append list item …',
    'The list with more items at its end.',
    [2, anyNumber],
    ([from, ...items]) => [...listOf(from), ...items],
    '{{join (append w.spec.ports 8443) ","}}',
  ),
  concatLists: value(
    'concatLists a b …',
    'The items of all lists as one.',
    [1, anyNumber],
    (lists) => lists.flatMap(listOf),
    '{{join (concatLists w.spec.ports extraContext.ports) ","}}',
  ),
  flatten: value(
    'flatten list',
    'A list of lists as one; items that are no lists stay.',
    [1, 1],
    ([from]) => listOf(from).flat(),
    '{{join (flatten (pluck w.spec.routes "methods")) ","}}',
  ),
  compact: value(
    'compact list',
    'The list without what is nothing or the empty text.',
    [1, 1],
    ([from]) => listOf(from).filter((item) => item !== undefined && item !== null && item !== ''),
    '{{join (compact (array "a" "" w.spec.missing "b")) ","}}',
  ),
  slice: value(
    'slice list from to',
    'The items from one index up to, without, another; without `to` up to the end. Also of texts. Negative ones count from the end.',
    [2, 3],
    ([from, start, end]) => {
      const to = end === undefined ? undefined : numberOf(end);
      return typeof from === 'string'
        ? from.slice(numberOf(start), to)
        : listOf(from).slice(numberOf(start), to);
    },
    '{{join (slice w.spec.ports 1) ","}} {{slice w.spec.color 0 2}}',
  ),
  reverse: value(
    'reverse list',
    'The items from last to first.',
    [1, 1],
    ([from]) => [...listOf(from)].reverse(),
    '{{join (reverse w.spec.ports) ","}}',
  ),
  sort: value(
    'sort list',
    'Numbers by size, then texts by their code units.',
    [1, 1],
    ([from]) => [...listOf(from)].sort(compareValues),
    '{{join (sort (array "b" "a" 10 9)) ","}}',
  ),
  sortBy: value(
    'sortBy list "path" …',
    'Sorted by what is under the paths, one criterion after the other; items that none tells apart stay as they are. A path may be followed by `| length`, `:exists` and `:desc`, and several joined by ` ~ ` are one text. What has no value comes last.',
    [2, anyNumber],
    ([from, ...criteria]) => {
      const by = criteria.flat().map((criterion) => sortCriterion(textOf(criterion)));
      return listOf(from)
        .map((item) => ({ item, values: by.map(({ valueOf }) => valueOf(item)) }))
        .sort((a, b) => {
          for (const [at, { compare }] of by.entries()) {
            const order = compare(a.values[at], b.values[at]);
            if (order !== 0) return order;
          }
          return 0;
        })
        .map(({ item }) => item);
    },
    '{{join (pluck (sortBy w.spec.routes "path | length:desc" "path") "path") ","}}',
  ),
  where: value(
    'where list "path" "op" value',
    'The items of which the test is true: `eq`, `ne`, `lt`, `le`, `gt`, `ge`, `in`, `contains`, `startsWith`, `endsWith` or `matches` (a glob). With a path alone: those that have a true value there.',
    [2, 4],
    (args) => listOf(args[0]).filter(testOf(args)),
    '{{join (pluck (where w.spec.routes "weight" "gt" 10) "path") ","}}',
  ),
  reject: value(
    'reject list "path" "op" value',
    'The items that `where` leaves out.',
    [2, 4],
    (args) => {
      const test = testOf(args);
      return listOf(args[0]).filter((item) => !test(item));
    },
    '{{join (pluck (reject w.spec.routes "weight" "gt" 10) "path") ","}}',
  ),
  globMatch: value(
    'globMatch list "pattern"',
    'The texts of a list that match the pattern: `*` is any run of characters, `?` is one.',
    [2, 2],
    ([from, pattern]) => {
      const test = tests.matches;
      return listOf(from).filter((item) => test(item, textOf(pattern)));
    },
    '{{join (globMatch (array "web-1" "web-2" "db-1") "web-*") ","}}',
  ),
  unique: value(
    'unique list',
    'Each item once, where it comes first.',
    [1, 1],
    ([from]) => [...new Map(listOf(from).map((item) => [identityOf(item), item])).values()],
    '{{join (unique (array "a" "b" "a")) ","}}',
  ),
  uniqueBy: value(
    'uniqueBy list "path"',
    'The first item of each value under the path, in the order of the list; items without are left out.',
    [2, 2],
    ([from, path]) => {
      const firsts = new Set([...groups(from, path).values()].map((items) => items[0]));
      return listOf(from).filter((item) => firsts.delete(item));
    },
    '{{join (pluck (uniqueBy w.spec.routes "service") "path") ","}}',
  ),
  groupBy: value(
    'groupBy list "path"',
    'An object: for each value under the path, the list of its items.',
    [2, 2],
    ([from, path]) => Object.fromEntries(groups(from, path)),
    '{{#each (groupBy w.spec.routes "service") as |routes service|}}{{service}}:{{length routes}} {{/each}}',
  ),
  countBy: value(
    'countBy list "path"',
    'An object: for each value under the path, the number of its items.',
    [2, 2],
    ([from, path]) => Object.fromEntries([...groups(from, path)].map(([key, items]) => [key, items.length])),
    '{{#each (countBy w.spec.routes "service") as |n service|}}{{service}}:{{n}} {{/each}}',
  ),
  indexBy: value(
    'indexBy list "path"',
    'An object: for each value under the path, its last item.',
    [2, 2],
    ([from, path]) => Object.fromEntries([...groups(from, path)].map(([key, items]) => [key, items.at(-1)])),
    '{{lookup (indexBy w.spec.routes "path") "/cart" "weight"}}',
  ),
  range: value(
    'range from to',
    'The whole numbers from one up to, without, another; `range n` begins at 0.',
    [1, 2],
    ([a, b]) => {
      const [from, to] = b === undefined ? [0, countOf(a, longest)] : [numberOf(a), numberOf(b)];
      return Array.from({ length: countOf(Math.max(0, to - from), longest) }, (_, i) => from + i);
    },
    '{{join (range 3) ","}} {{join (range 5 8) ","}}',
  ),
  sum: value(
    'sum list',
    'The sum of numbers.',
    [1, 1],
    ([from]) => listOf(from).reduce<number>((sum, item) => sum + numberOf(item), 0),
    '{{sum (pluck w.spec.routes "weight")}}',
  ),
  shard: value(
    'shard list index total',
    'One of `total` equal parts of a list. Renders need none: only what changed is printed.',
    [3, 3],
    ([from, at, of]) => {
      const items = listOf(from);
      const total = countOf(of, longest);
      const index = countOf(at, total - 1);
      const cut = (i: number) => Math.floor((i * items.length) / total);
      return items.slice(cut(index), cut(index + 1));
    },
    '{{join (shard (range 10) 1 3) ","}}',
  ),
};

function testOf([, path, op, operand]: readonly unknown[]): (item: unknown) => boolean {
  const select = jsonPathValues(textOf(path));
  if (op === undefined) return (item) => tests.true(select(item)[0]);
  const test = Object.hasOwn(tests, textOf(op)) ? tests[textOf(op) as keyof typeof tests] : undefined;
  if (test === undefined)
    throw new RangeError(`the test is one of ${Object.keys(tests).join(', ')}, not ${JSON.stringify(op)}`);
  return (item) => test(select(item)[0], operand);
}

/** Items by what is under the path, groups in order of that; items without are left out. */
function groups(from: unknown, path: unknown): Map<string, unknown[]> {
  const select = jsonPathValues(textOf(path));
  const found = new Map<string, unknown[]>();
  for (const item of listOf(from)) {
    const key = select(item)[0];
    if (key === undefined || key === null) continue;
    const items = found.get(textOf(key)) ?? [];
    items.push(item);
    found.set(textOf(key), items);
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function identityOf(item: unknown): string {
  return item === undefined ? '' : JSON.stringify(item);
}
