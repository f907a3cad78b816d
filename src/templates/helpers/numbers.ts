import { anyNumber, type HelperTable } from '../helper-spec.ts';
import { valueHelper as value } from '../value-helper.ts';
import { countOf, numberOf, textOf } from './arguments.ts';

/** Numbers. A text counts as the number that it stands for. */
export const numberHelpers: HelperTable = {
  number: value(
    'number text',
    'The number that a text stands for; an error if it is none.',
    [1, 1],
    ([from]) => numberOf(from),
    '{{add (number "41") 1}}',
  ),
  int: value(
    'int text fallback',
    'The number that a text stands for, rounded towards 0; if it is none, the second argument, or an error without one.',
    [1, 2],
    ([from, otherwise]) => {
      try {
        return Math.trunc(numberOf(from));
      } catch (error) {
        if (otherwise === undefined) throw error;
        return numberOf(otherwise);
      }
    },
    '{{int "41.9"}} {{int w.spec.color 0}}',
  ),
  add: value(
    'add a b …',
    'The sum of its arguments.',
    [2, anyNumber],
    (args) => args.reduce<number>((sum, arg) => sum + numberOf(arg), 0),
    '{{add w.spec.replicas 1}}',
  ),
  subtract: value(
    'subtract a b',
    'The first less the second.',
    [2, 2],
    ([a, b]) => numberOf(a) - numberOf(b),
    '{{subtract w.spec.replicas 1}}',
  ),
  multiply: value(
    'multiply a b …',
    'The product of its arguments.',
    [2, anyNumber],
    (args) => args.reduce<number>((product, arg) => product * numberOf(arg), 1),
    '{{multiply w.spec.replicas 100}}',
  ),
  divide: value(
    'divide a b',
    'The first by the second, rounded down.',
    [2, 2],
    ([a, b]) => Math.floor(numberOf(a) / divisor(b)),
    '{{divide 100 w.spec.replicas}}',
  ),
  modulo: value(
    'modulo a b',
    'The rest of the division.',
    [2, 2],
    ([a, b]) => numberOf(a) % divisor(b),
    '{{modulo 100 w.spec.replicas}}',
  ),
  pow: value(
    'pow a b',
    'The first to the power of the second.',
    [2, 2],
    ([a, b]) => numberOf(numberOf(a) ** numberOf(b)),
    '{{pow 2 10}}',
  ),
  abs: value('abs a', 'Without its sign.', [1, 1], ([a]) => Math.abs(numberOf(a)), '{{abs -3}}'),
  ceil: value('ceil a', 'Rounded up.', [1, 1], ([a]) => Math.ceil(numberOf(a)), '{{ceil 2.1}}'),
  floor: value('floor a', 'Rounded down.', [1, 1], ([a]) => Math.floor(numberOf(a)), '{{floor 2.9}}'),
  round: value('round a', 'Rounded, halves up.', [1, 1], ([a]) => Math.round(numberOf(a)), '{{round 2.5}}'),
  min: value(
    'min a b …',
    'The least number.',
    [1, anyNumber],
    (args) => Math.min(...args.flat().map(numberOf)),
    '{{min w.spec.replicas 2}}',
  ),
  max: value(
    'max a b …',
    'The greatest number.',
    [1, anyNumber],
    (args) => Math.max(...args.flat().map(numberOf)),
    '{{max w.spec.replicas 2}}',
  ),
  fixed: value(
    'fixed number digits',
    'The number as text with so many decimals.',
    [2, 2],
    ([from, digits]) => numberOf(from).toFixed(countOf(digits, 20)),
    '{{fixed 2.5 2}}',
  ),
  toBase: value(
    'toBase number base',
    'The whole number as text in base 2 to 36.',
    [2, 2],
    ([from, base]) => countOf(from, Number.MAX_SAFE_INTEGER).toString(baseOf(base)),
    '{{toBase 255 16}}',
  ),
  fromBase: value(
    'fromBase text base',
    'The whole number that the text is in base 2 to 36; an error if it is none.',
    [2, 2],
    ([from, base]) => {
      const number = Number.parseInt(textOf(from), baseOf(base));
      if (Number.isSafeInteger(number) && number.toString(baseOf(base)) === normalDigits(textOf(from)))
        return number;
      throw new RangeError(`${JSON.stringify(from)} is no number in base ${baseOf(base)}`);
    },
    '{{fromBase "ff" 16}}',
  ),
};

function normalDigits(text: string): string {
  return text.toLowerCase().replace(/^0+(?=.)/, '');
}

function baseOf(value: unknown): number {
  const base = countOf(value, 36);
  if (base < 2) throw new RangeError('a base is 2 to 36');
  return base;
}

function divisor(value: unknown): number {
  const number = numberOf(value);
  if (number === 0) throw new RangeError('a division by zero');
  return number;
}
