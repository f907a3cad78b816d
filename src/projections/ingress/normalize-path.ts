import type { Parsed } from '../parsed.ts';
import { showValue } from '../show-value.ts';

const escape = /%[0-9a-f]{2}/gi;
const unreserved = /[\w.~-]/;
const brokenEscape = /%(?![0-9a-f]{2})/i;
/** Backslashes and control characters; and `.` and `/` written in more bytes of UTF-8 than they have, which some decoders take. */
const neverTaken = /\\|%(?:[01].|7f|5c|c[01]%[89ab]|e0%[89])/i;
/** Also where an encoded slash is taken for one. */
const dotSegment = /(?:\/|%2F)\.\.?(?:\/|%2F|;|%3B|$)/;

/**
 * The form in which paths of requests are matched: escapes of unreserved characters decoded, the others in upper case (RFC 3986
 * 6.2.2), doubled slashes as one. Refuses what no request can have by then: dot segments, which are resolved before, and what
 * `frontend-routing` of the base library refuses, whose other half this is.
 */
export function normalizePath(path: string): Parsed<string> {
  const shown = showValue(path);
  if (brokenEscape.test(path)) return { fault: `must have two hexadecimal digits after each "%": ${shown}` };
  if (neverTaken.test(path)) {
    return { fault: `must not contain a backslash or a control character, encoded or not: ${shown}` };
  }
  const decoded = path.replace(escape, (text) => {
    const character = String.fromCharCode(Number.parseInt(text.slice(1), 16));
    return unreserved.test(character) ? character : text.toUpperCase();
  });
  if (dotSegment.test(decoded)) return { fault: `must not have "." or ".." as an element: ${shown}` };
  return { value: decoded.replace(/\/{2,}/g, '/') };
}
