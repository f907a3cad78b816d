import { digest } from '../../lib/digest.ts';
import { anyNumber, type HelperTable } from '../helper-spec.ts';
import { listOf, numberOf, textOf } from './data.ts';
import { value } from './logic.ts';

/** Text and numbers. Results are values: they still have to pass what prints them. */
export const textHelpers: HelperTable = {
  concat: value('Its arguments as one text.', [1, anyNumber], (args) => args.map(textOf).join('')),
  join: value('`join list ","`.', [2, 2], ([from, separator]) =>
    listOf(from).map(textOf).join(textOf(separator)),
  ),
  split: value('`split text ","`.', [2, 2], ([from, separator]) => textOf(from).split(textOf(separator))),
  lower: value('In lower case.', [1, 1], ([from]) => textOf(from).toLowerCase()),
  upper: value('In upper case.', [1, 1], ([from]) => textOf(from).toUpperCase()),
  trim: value('Without white space at both ends.', [1, 1], ([from]) => textOf(from).trim()),
  replace: value('`replace text "from" "to"`: every occurrence.', [3, 3], ([from, what, to]) =>
    textOf(from).replaceAll(textOf(what), () => textOf(to)),
  ),
  startsWith: value('`startsWith text "prefix"`.', [2, 2], ([from, part]) =>
    textOf(from).startsWith(textOf(part)),
  ),
  endsWith: value('`endsWith text "suffix"`.', [2, 2], ([from, part]) => textOf(from).endsWith(textOf(part))),
  regexEscape: value(
    'The text as a regular expression that matches exactly it; print it with regex.',
    [1, 1],
    ([from]) => textOf(from).replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'),
  ),
  digest: value('A short digest (16 hex digits) of its arguments, for names.', [1, anyNumber], (args) =>
    digest(args.map((arg) => `${textOf(arg).length}:${textOf(arg)}`).join('')),
  ),
  base64Decode: value('The text behind base64, as in Secrets.', [1, 1], ([from]) =>
    Buffer.from(textOf(from), 'base64').toString('utf8'),
  ),
  number: value('The number that a text stands for; an error if it is none.', [1, 1], ([from]) =>
    numberOf(from),
  ),
  add: value('The sum.', [2, anyNumber], (args) => args.reduce<number>((sum, arg) => sum + numberOf(arg), 0)),
  subtract: value('`subtract a b`.', [2, 2], ([a, b]) => numberOf(a) - numberOf(b)),
  multiply: value('The product.', [2, anyNumber], (args) =>
    args.reduce<number>((sum, arg) => sum * numberOf(arg), 1),
  ),
  divide: value('`divide a b`, rounded down.', [2, 2], ([a, b]) => {
    if (numberOf(b) === 0) throw new RangeError('a division by zero');
    return Math.floor(numberOf(a) / numberOf(b));
  }),
  modulo: value('`modulo a b`: the rest of the division.', [2, 2], ([a, b]) => {
    if (numberOf(b) === 0) throw new RangeError('a division by zero');
    return numberOf(a) % numberOf(b);
  }),
  min: value('The least number.', [1, anyNumber], (args) => Math.min(...args.map(numberOf))),
  max: value('The greatest number.', [1, anyNumber], (args) => Math.max(...args.map(numberOf))),
  fixed: value('`fixed number digits`: with so many decimals.', [2, 2], ([from, digits]) =>
    numberOf(from).toFixed(numberOf(digits)),
  ),
};
