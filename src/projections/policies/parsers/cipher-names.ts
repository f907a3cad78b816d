import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/** OpenSSL's names of ciphers, with colons, commas or blanks between them; `!` before one leaves it out. As HAProxy takes them: with colons. */
export function cipherNames(text: string): Parsed<string> {
  const names = text.split(/[\s,:]+/).filter((name) => name !== '');
  if (
    names.length > 0 &&
    names.length <= 64 &&
    names.every((name) => /^[!+-]?[A-Za-z0-9][A-Za-z0-9_+@=-]{0,63}$/.test(name))
  )
    return { value: names.join(':') };
  return { fault: `must be names of ciphers with colons between them: ${showValue(text)}` };
}
