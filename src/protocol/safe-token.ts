/**
 * What may stand as one word of a HAProxy runtime command: not empty, no white space or control character, and none of
 * `;` (next command), `<` (payload), `>` and `\` (escape).
 */
export function isSafeToken(text: string): boolean {
  return text !== '' && !unsafeInToken.test(text);
}

/** What may stand as the value of a line in a payload or map file: one line, and no blanks at its ends. */
export function isSafeMapValue(text: string): boolean {
  return text !== '' && text.trim() === text && !unsafeInValue.test(text);
}

/** What may stand as a key of a line in a payload or map file; `#` would begin a comment. */
export function isSafeMapKey(text: string): boolean {
  return isSafeToken(text) && !text.startsWith('#');
}

// eslint-disable-next-line no-control-regex -- control characters are what this looks for
const unsafeInToken = /[\u0000-\u0020\u007f;<>\\]|\s/;
// eslint-disable-next-line no-control-regex -- control characters are what this looks for
const unsafeInValue = /[\u0000-\u001f\u007f]/;
