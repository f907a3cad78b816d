const shown = 80;

/**
 * A short, one-line form of any JSON value for messages: strings quoted, with control characters and line separators
 * escaped and cut after 80 characters; objects and lists are only named, so that a huge or deeply nested one costs nothing.
 */
export function showValue(value: unknown): string {
  if (typeof value === 'string') {
    return value.length <= shown
      ? quoted(value)
      : `${quoted(value.slice(0, shown))}… (${value.length} characters)`;
  }
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'number' || typeof value === 'boolean' || value === null
    ? String(value)
    : 'an object';
}

/** JSON leaves some control characters as they are. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
