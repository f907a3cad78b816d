import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';
import { boundedRegex } from './bounded-regex.ts';

/** Another path by a regular expression. */
export interface PathRewrite {
  readonly regex: string;
  /** With `\0` to `\9` for what groups matched. */
  readonly replacement: string;
}

/** `REGEX REPLACEMENT`; the replacement is a path, in which `$1` or `\1` is what the first group matched. */
export function pathRewrite(text: string): Parsed<PathRewrite> {
  const [expression = '', written = '', ...more] = text.trim().split(/\s+/);
  const refuse = (fault: string): Parsed<PathRewrite> => ({ fault: `${fault}: ${showValue(text)}` });
  if (written === '' || more.length > 0)
    return refuse(
      'must be a regular expression and a replacement with a blank between them, such as "^/old/(.*) /new/$1"',
    );
  const regex = boundedRegex(expression);
  if ('fault' in regex) return regex;
  const replacement = written.replace(/\$(?=\d)/g, '\\');
  if (
    written.length > 1024 ||
    !/^\/(?!\/)(?:\\\d|[\x21\x22\x24-\x3e\x40-\x5b\x5d-\x7e])*$/.test(replacement)
  ) {
    return refuse('must have a path for a replacement, with $1 for what the first group matched');
  }
  // HAProxy would take a dollar for a dollar; whoever writes one here means something else.
  if (replacement.includes('$')) return refuse('must have a digit after each $');
  const groups = expression.replace(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]/g, '').match(/\((?!\?)/g)?.length ?? 0;
  const highest = Math.max(0, ...(replacement.match(/(?<=\\)\d/g) ?? []).map(Number));
  return highest > groups
    ? refuse(`has no group ${highest}`)
    : { value: { regex: regex.value, replacement } };
}
