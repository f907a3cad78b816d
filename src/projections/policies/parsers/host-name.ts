import { parseHost } from '../../parse-host.ts';
import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/** One host as rules name it (see `parseHost`), in lower case: no wildcard, no address, no port. */
export function hostName(text: string): Parsed<string> {
  const host = parseHost(text.trim());
  if ('value' in host && host.value.kind === 'exact') return { value: host.value.host };
  return { fault: `must be a host name such as "shop.example.com", not ${showValue(text)}` };
}
