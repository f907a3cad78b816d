import { numberOf, textOf } from './helpers/arguments.ts';

const verb = /%([-0]*)(\d{1,3})?(?:\.(\d{1,2}))?([a-zA-Z%])/g;

/**
 * `fmt.Sprintf` as far as configurations need it: `%s %q %v %d %x %X %o %b %f %t %%` with a width, `-` and `0`. A RangeError names
 * what does not fit: too few or too many arguments, a verb that is not known, a value that is none of the verb's kind.
 */
export function formatText(pattern: string, args: readonly unknown[]): string {
  let used = 0;
  const text = pattern.replace(
    verb,
    (whole, flags: string, width = '0', digits: string | undefined, kind: string) => {
      if (kind === '%') return '%';
      if (used >= args.length) throw new RangeError(`there is no argument for ${whole}`);
      const printed = printValue(kind, args[used++], digits, whole);
      if (flags.includes('-')) return printed.padEnd(Number(width));
      if (!flags.includes('0') || 'sqv'.includes(kind)) return printed.padStart(Number(width));
      const sign = printed.startsWith('-') ? '-' : '';
      return sign + printed.slice(sign.length).padStart(Number(width) - sign.length, '0');
    },
  );
  if (used < args.length) throw new RangeError(`${args.length - used} arguments too many for "${pattern}"`);
  return text;
}

function printValue(kind: string, value: unknown, digits: string | undefined, whole: string): string {
  switch (kind) {
    case 's':
      return digits === undefined ? textOf(value) : textOf(value).slice(0, Number(digits));
    case 'q':
      return JSON.stringify(textOf(value));
    case 'v':
      return typeof value === 'object' ? JSON.stringify(value) : textOf(value);
    case 't':
      if (typeof value === 'boolean') return String(value);
      throw new RangeError(`${whole} takes true or false`);
    case 'd':
      return wholeOf(value, whole).toString();
    case 'x':
      return wholeOf(value, whole).toString(16);
    case 'X':
      return wholeOf(value, whole).toString(16).toUpperCase();
    case 'o':
      return wholeOf(value, whole).toString(8);
    case 'b':
      return wholeOf(value, whole).toString(2);
    case 'f':
      return numberOf(value).toFixed(Number(digits ?? 6));
    default:
      throw new RangeError(`${whole} is no verb of format`);
  }
}

function wholeOf(value: unknown, whole: string): number {
  const number = numberOf(value);
  if (Number.isInteger(number)) return number;
  throw new RangeError(`${whole} takes a whole number, not ${number}`);
}
