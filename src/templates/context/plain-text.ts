// eslint-disable-next-line no-control-regex -- control characters are what this is about
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/**
 * The text of a value that is about to be printed: strings, finite numbers and booleans. Everything else, and any control
 * character (HAProxy reads a line break as the end of a directive), is refused with a RangeError that says why.
 */
export function plainText(value: unknown): string {
  const text = asText(value);
  const at = text.search(control);
  if (at >= 0) {
    const code = text.charCodeAt(at).toString(16).padStart(4, '0');
    throw new RangeError(`the value has the control character U+${code.toUpperCase()} at position ${at + 1}`);
  }
  if (!text.isWellFormed()) throw new RangeError('the value is not valid Unicode');
  return text;
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value === 'boolean') return String(value);
  if (value === undefined || value === null) throw new RangeError('there is no value here');
  if (typeof value === 'number') throw new RangeError(`${value} is not a number`);
  throw new RangeError(Array.isArray(value) ? 'a list cannot be printed' : 'an object cannot be printed');
}
