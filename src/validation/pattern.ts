import { RE2JS } from 're2js';
import { CodedError } from '../lib/coded-error.ts';
import { errorMessage } from '../lib/error-message.ts';

/** A regular expression that takes time proportional to the text, whatever it says. */
export interface Pattern {
  readonly source: string;
  /** The first match. */
  find(text: string): { readonly index: number; readonly text: string } | undefined;
  count(text: string): number;
}

/**
 * A regular expression of an assertion, in the syntax of RE2 (Go's `regexp`): without `(?m)`, `^` and `$` are the ends of the whole text.
 *
 * @param field for the error: `assertions[0].pattern`
 * @throws CodedError `HAPTIC_ERR_VALIDATION_ASSERTION` naming field and fault
 */
export function parsePattern(source: string, field: string): Pattern {
  const expression = compile(source, field);
  return {
    source,
    find: (text) => {
      const matcher = expression.matcher(text);
      return matcher.find() ? { index: matcher.start(), text: matcher.group() ?? '' } : undefined;
    },
    count: (text) => {
      const matcher = expression.matcher(text);
      let found = 0;
      while (matcher.find()) found++;
      return found;
    },
  };
}

function compile(source: string, field: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    throw new CodedError(
      'HAPTIC_ERR_VALIDATION_ASSERTION',
      `${field} is no regular expression: ${errorMessage(error)}`,
      { cause: error },
    );
  }
}
