import { plainText } from './plain-text.ts';
import { quoteArgument } from './quote-argument.ts';

/** A quoted argument where HAProxy expects a log-format string: `%` is doubled, so no `%[…]` or alias of the value is evaluated. */
export function logFormatArgument(value: unknown): string {
  return quoteArgument(plainText(value).replaceAll('%', '%%'));
}
