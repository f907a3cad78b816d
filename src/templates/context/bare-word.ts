import { plainText } from './plain-text.ts';

const safe = /^[A-Za-z0-9_.:/@+,=~*-]+$/;

/**
 * What `{{x}}` prints: one word that means itself to HAProxy, wherever it stands. Anything else is refused, the empty
 * string too: it would vanish and shift the arguments after it.
 */
export function bareWord(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value === 'string' && safe.test(value)) return value;
  const text = plainText(value);
  if (text === '')
    throw new RangeError('the value is empty; print it with {{quoted …}} or leave it out with {{#if …}}');
  if (safe.test(text)) return text;
  throw new RangeError(
    `${excerpt(text)} is not a bare word; print it with {{quoted …}}, or with logformat, regex, mapKey, mapValue, sectionName or comment where that is the context`,
  );
}

/** A short JSON form of a refused value for messages. */
export function excerpt(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
