import type { Parsed } from '../../parsed.ts';
import { isPortNumber } from '../../is-port-number.ts';
import { showValue } from '../../show-value.ts';

/** A DNS name as `Host` has it, in lower case, perhaps with a port. */
export function hostAndPort(text: string): Parsed<string> {
  const host = text.trim().toLowerCase();
  const [, name = '', port = '80'] =
    /^([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(?::(\d{1,5}))?$/.exec(host) ?? [];
  if (name !== '' && !name.includes('..') && isPortNumber(Number(port))) return { value: host };
  return { fault: `must be a host such as "internal.example.com", not ${showValue(text)}` };
}
