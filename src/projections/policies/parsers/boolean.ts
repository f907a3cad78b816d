import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/** `true` or `false`, in any case. */
export function boolean(text: string): Parsed<boolean> {
  const word = text.trim().toLowerCase();
  if (word === 'true') return { value: true };
  if (word === 'false') return { value: false };
  return { fault: `must be "true" or "false", not ${showValue(text)}` };
}
