import { excerpt } from './bare-word.ts';
import { plainText } from './plain-text.ts';

/** A name of a proxy, server, section or profile: `[A-Za-z0-9_.:-]`, at most 255 characters (HAProxy's own rule for identifiers). */
export function sectionName(value: unknown): string {
  const text = plainText(value);
  if (/^[A-Za-z0-9_.:-]{1,255}$/.test(text)) return text;
  throw new RangeError(`${excerpt(text)} is not a name: 1 to 255 of A–Z a–z 0–9 _ . : - are`);
}
