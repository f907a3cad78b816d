import { excerpt } from './bare-word.ts';
import { plainText } from './plain-text.ts';
import { quoteArgument } from './quote-argument.ts';

const maxLength = 8192;

/**
 * A quoted argument holding a regular expression of the user. One that does not compile here is refused, since HAProxy would
 * refuse the whole configuration: what JavaScript and PCRE2 share is accepted, with leading PCRE flags such as `(?i)`.
 */
export function regexArgument(value: unknown): string {
  const text = plainText(value);
  if (text.length > maxLength)
    throw new RangeError(`the regular expression has more than ${maxLength} characters`);
  const body = text.replace(/^\(\?[imsx]+\)/, '');
  if (body === '') throw new RangeError('the regular expression is empty');
  try {
    new RegExp(body);
  } catch (error) {
    throw new RangeError(`${excerpt(text)} is not a regular expression`, { cause: error });
  }
  return quoteArgument(text);
}
