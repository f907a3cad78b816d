import tls from 'node:tls';
import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/**
 * OpenSSL's names of ciphers for TLS 1.2, with colons, commas or blanks between them; `!` before one leaves it out. As HAProxy takes them: with colons. HAProxy
 * refuses its whole configuration for a list that leaves nothing, so OpenSSL is asked here.
 */
export function cipherNames(text: string): Parsed<string> {
  const names = text.split(/[\s,:]+/).filter((name) => name !== '');
  const isList =
    names.length > 0 &&
    names.length <= 64 &&
    names.every((name) => /^[!+-]?(?!TLS_)[A-Za-z0-9][A-Za-z0-9_+-]{0,63}$/.test(name));
  if (!isList) return { fault: `must be names of ciphers with colons between them, not ${showValue(text)}` };
  const value = names.join(':');
  try {
    tls.createSecureContext({ ciphers: value });
    return { value };
  } catch {
    return { fault: `must leave at least one cipher that OpenSSL knows, not ${showValue(text)}` };
  }
}
