import { CodedError } from '../lib/coded-error.ts';
import { errorMessage } from '../lib/error-message.ts';
import { jsonPath, jsonPathValues } from '../lib/json-path.ts';

const test = /^((?:\[(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\]])*\]|[^[=!])+)(=~|!=|=)([\s\S]*)$/;

/**
 * A predicate by its text: `PATH=TEXT` (one of the selected values is it), `PATH!=TEXT` (none is), `PATH=~REGEX` (one matches), `PATH`
 * (something is there that is not null, false or empty).
 *
 * @throws CodedError `HAPTIC_ERR_CLI_USAGE` with the text and what is wrong with it
 */
export function tapFilter(text: string): (value: unknown) => boolean {
  try {
    const match = test.exec(text);
    if (match === null) {
      const select = jsonPathValues(text);
      return (value) => select(value).some(isThere);
    }
    const [, path = '', sign, operand = ''] = match;
    const select = jsonPath(path);
    if (sign === '!=') return (value) => !select(value).includes(operand);
    if (sign === '=') return (value) => select(value).includes(operand);
    const pattern = new RegExp(operand);
    return (value) => select(value).some((found) => pattern.test(found));
  } catch (error) {
    throw new CodedError('HAPTIC_ERR_CLI_USAGE', `--filter ${text}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

function isThere(value: unknown): boolean {
  if (value === null || value === false || value === '' || value === undefined) return false;
  return !(Array.isArray(value) && value.length === 0);
}
