import { excerpt } from './bare-word.ts';
import { plainText } from './plain-text.ts';

const maxBytes = 8192;

/** A key of a map file: the first word of its line. Blanks would end it, `#` in front would make the line a comment. */
export function mapKey(value: unknown): string {
  const text = plainText(value);
  if (text === '') throw new RangeError('a map key cannot be empty');
  if (text.includes(' ')) throw new RangeError(`the map key ${excerpt(text)} has a space in it`);
  if (text.startsWith('#')) throw new RangeError(`the map key ${excerpt(text)} begins with #`);
  if (Buffer.byteLength(text) > maxBytes) throw new RangeError(`the map key has more than ${maxBytes} bytes`);
  return text;
}
