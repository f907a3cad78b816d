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

/** What may stand as the value of a line in a payload: more than in a command, where a tab would end the word. */
export function isPayloadMapValue(text: string): boolean {
  return text !== '' && !/^[ \t]|[ \t]$|[\0\r\n]/.test(text);
}

/**
 * What may stand as a key of a line in a payload or map file: one word without control characters; `#` would begin a comment in
 * the file and an entry's number in a command.
 */
export function isSafeMapKey(text: string): boolean {
  return text !== '' && !text.startsWith('#') && !/\s/.test(text) && !unsafeInValue.test(text);
}

/**
 * The text as one word of a HAProxy runtime command: blanks and what has a meaning there are escaped by a backslash, as every
 * line from 2.6 on reads it. Only for texts without control characters.
 */
export function cliWord(text: string): string {
  return text.replace(/[\\;<> ]/g, '\\$&');
}

// eslint-disable-next-line no-control-regex -- control characters are what this looks for
const unsafeInToken = /[\u0000-\u0020\u007f;<>\\]|\s/;
// eslint-disable-next-line no-control-regex -- control characters are what this looks for
const unsafeInValue = /[\u0000-\u001f\u007f]/;
