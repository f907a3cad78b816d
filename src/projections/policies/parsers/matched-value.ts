import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/** What a request has to say, to the letter. Blanks would end the key of a map. */
export function matchedValue(text: string): Parsed<string> {
  const value = text.trim();
  if (/^[\x21-\x7e]{1,256}$/.test(value)) return { value };
  return { fault: `must be visible ASCII without blanks, at most 256 characters, not ${showValue(text)}` };
}
