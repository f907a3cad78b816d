import { containsAddress, parseCidr } from '../../lib/cidr.ts';
import type { AddressRule } from '../model.ts';

/** What the rules say of an address, as HAProxy's `map_ip` reads them: the one with the longest prefix counts. What is no address is refused. */
export function judgeAddress(rules: readonly AddressRule[], address: string): AddressRule['verdict'] {
  const wanted = parseCidr(address);
  if (wanted === undefined) return 'refused';
  let found: { readonly length: number; readonly verdict: AddressRule['verdict'] } | undefined;
  for (const { network, verdict } of rules) {
    const cidr = parseCidr(network);
    if (cidr === undefined || !containsAddress(cidr, wanted)) continue;
    if (found === undefined || cidr.length > found.length) found = { length: cidr.length, verdict };
  }
  return found?.verdict ?? 'public';
}
