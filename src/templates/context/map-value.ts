import { excerpt } from './bare-word.ts';
import { plainText } from './plain-text.ts';

const maxBytes = 8192;

/** A value of a map file: the rest of its line. HAProxy trims it, so spaces at its ends would be lost; empty it cannot be. */
export function mapValue(value: unknown): string {
  const text = plainText(value);
  if (text === '') throw new RangeError('a map value cannot be empty');
  if (text.startsWith(' ') || text.endsWith(' '))
    throw new RangeError(`the map value ${excerpt(text)} begins or ends with a space`);
  if (Buffer.byteLength(text) > maxBytes)
    throw new RangeError(`the map value has more than ${maxBytes} bytes`);
  return text;
}
