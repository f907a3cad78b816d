import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/** A token of HTTP (RFC 9110, 5.6.2): names of headers and methods. */
export function httpToken(text: string): Parsed<string> {
  if (text.length <= 256 && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text)) return { value: text };
  return {
    fault: `must be a name as HTTP has them, without blanks, quotes and brackets, not ${showValue(text)}`,
  };
}
