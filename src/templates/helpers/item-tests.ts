import { globPattern } from '../../lib/glob-pattern.ts';
import { textOf } from './arguments.ts';
import { isTruthy } from './logic.ts';

type ItemTest = (value: unknown, operand: unknown) => boolean;

/** Tests of `where` and `reject`: what is under the path against the operand. What is missing passes `ne` only. */
export const tests = {
  true: (value) => isTruthy(value),
  eq: (value, operand) => value === operand,
  ne: (value, operand) => value !== operand,
  lt: sized((value, operand) => value < operand),
  le: sized((value, operand) => value <= operand),
  gt: sized((value, operand) => value > operand),
  ge: sized((value, operand) => value >= operand),
  in: (value, operand) => Array.isArray(operand) && operand.includes(value),
  contains: (value, operand) =>
    Array.isArray(value) ? value.includes(operand) : texts(value, operand, (a, b) => a.includes(b)),
  startsWith: (value, operand) => texts(value, operand, (a, b) => a.startsWith(b)),
  endsWith: (value, operand) => texts(value, operand, (a, b) => a.endsWith(b)),
  matches: (value, operand) => texts(value, operand, (a, b) => globPattern(b)(a)),
} as const satisfies Readonly<Record<string, ItemTest>>;

function texts(value: unknown, operand: unknown, test: (a: string, b: string) => boolean): boolean {
  return value !== undefined && value !== null && typeof value !== 'object'
    ? test(textOf(value), textOf(operand))
    : false;
}

function sized(test: (value: number | string, operand: number | string) => boolean): ItemTest {
  return (value, operand) => {
    if (typeof value === 'number' && typeof operand === 'number') return test(value, operand);
    return typeof value === 'string' && typeof operand === 'string' ? test(value, operand) : false;
  };
}
