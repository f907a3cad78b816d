import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/** An absolute `http` or `https` URL (RFC 3986) without user and password, at most 2000 characters, each of them printable ASCII. */
export function webAddress(text: string): Parsed<string> {
  const given = text.trim();
  const fault = { fault: `must be a URL such as "https://example.com/help": ${showValue(text)}` };
  if (given.length > 2000 || !/^https?:\/\/[!#$%&'()*+,./0-9:;=?@A-Z[\]_a-z~-]+$/.test(given)) return fault;
  if (!URL.canParse(given)) return fault;
  const { username, password } = new URL(given);
  return username === '' && password === '' ? { value: given } : fault;
}
