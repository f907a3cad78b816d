import { isPortNumber } from '../../is-port-number.ts';
import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

const form =
  /^https?:\/\/(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::(\d{1,5}))?(?:[/?#][!#$%&'()*+,./0-9:;=?@[\]_a-z~-]*)?$/i;

/** An absolute `http` or `https` URL (RFC 3986) without user and password, at most 2000 characters, each of them printable ASCII. */
export function webAddress(text: string): Parsed<string> {
  const value = text.trim();
  const [whole, port = '80'] = form.exec(value) ?? [];
  if (whole !== undefined && value.length <= 2000 && isPortNumber(Number(port)) && URL.canParse(value))
    return { value };
  return { fault: `must be a URL such as "https://example.com/help", not ${showValue(text)}` };
}
