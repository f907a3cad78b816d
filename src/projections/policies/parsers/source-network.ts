import { canonicalNetwork } from '../../../lib/canonical-network.ts';
import { parseCidr } from '../../../lib/cidr.ts';
import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/** An address or a network of clients, in the one spelling that HAProxy prints, with its length. */
export function sourceNetwork(text: string): Parsed<string> {
  const cidr = parseCidr(text);
  if (cidr === undefined)
    return { fault: `must be an address or a network such as "10.0.0.0/8", not ${showValue(text)}` };
  // RFC 4291, 2.5: nobody comes from there, but from the machine itself.
  const isReserved = cidr.family === 6 && cidr.first >> 32n === 0n && cidr.length > 0;
  if (isReserved && !(cidr.first === 1n && cidr.length === 128))
    return { fault: `begins with addresses that nobody comes from (::/96): ${showValue(text)}` };
  return { value: canonicalNetwork(cidr) };
}
