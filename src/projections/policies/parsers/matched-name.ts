import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/** Of the names that cookies and the like may have those that mean nothing to HAProxy, with case. */
export function matchedName(text: string): Parsed<string> {
  const value = text.trim();
  if (/^[A-Za-z0-9][\w.-]{0,99}$/.test(value)) return { value };
  return { fault: `must be a name of letters, digits, "-", "_" and ".", not ${showValue(text)}` };
}
