import { excerpt } from './bare-word.ts';
import { plainText } from './plain-text.ts';

/**
 * An SNI filter of a crt-list entry: a host name, `*.` before it for its subdomains, `!` before it to exclude it, `*`, or `!*` for no host at
 * all. In lower case, as HAProxy compares.
 */
export function sniFilter(value: unknown): string {
  const text = plainText(value).toLowerCase();
  const name = text.replace(/^!/, '').replace(/^\*\./, '');
  const isName =
    name.length <= 253 &&
    name.split('.').every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
  if (isName || text === '*' || text === '!*') return text;
  throw new RangeError(`${excerpt(text)} is not a host name such as shop.example.com or *.example.com`);
}

/** A word between the brackets of a crt-list entry. Crt-lists know no quotes, so blanks and brackets cannot be written. */
export function crtListOption(value: unknown): string {
  const text = plainText(value);
  if (/^[A-Za-z0-9_.:/@+,=~*!-]+$/.test(text)) return text;
  throw new RangeError(`${excerpt(text)} cannot stand among the options of a crt-list entry`);
}
