import { plainText } from './plain-text.ts';

/**
 * One argument in double quotes that HAProxy reads as exactly `value`. Within them it interprets `"`, `\` and `$`
 * (configuration manual, "Quoting and escaping"), so these get a backslash.
 */
export function quoteArgument(value: unknown): string {
  return `"${plainText(value).replace(/["\\$]/g, '\\$&')}"`;
}
