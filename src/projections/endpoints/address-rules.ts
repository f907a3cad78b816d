import { parseCidr } from '../../lib/cidr.ts';
import { addressRanges } from '../../lib/http/address-ranges.ts';
import type { AddressRule } from '../model.ts';

/** IPv4 in a disguise that no server of today wears (RFC 4291 2.5.5, 2765, 4380, 3056): whoever gives such an address has something in mind. */
const disguises = ['::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '2001::/32', '2002::/16'];

/** Whose prefix inside is not known (RFC 8215). */
const localTranslation = '64:ff9b:1::/48';

/**
 * What is thought of the addresses that names resolve to: of the rules that fit, the one with the longest prefix counts, and without one an address is
 * public. What an IPv4 address is, it is behind NAT64 as well (64:ff9b::/96, RFC 6052). A network that is allowed takes the place of the same one here, and
 * yields to smaller ones.
 *
 * @param allowed IPv4 or IPv6 networks with their length: `10.0.0.0/8`
 */
export function addressRules(allowed: readonly string[]): readonly AddressRule[] {
  const rules = new Map<string, AddressRule>();
  const add = (verdict: AddressRule['verdict'], networks: readonly string[]): void => {
    for (const network of networks) {
      for (const one of [network, ...(verdict === 'public' ? [] : translated(network))]) {
        rules.set(identityOf(one), { network: one, verdict });
      }
    }
  };
  for (const { refused, blocks } of addressRanges) add(refused === 'private' ? 'private' : 'refused', blocks);
  // HAProxy asks of IPv4 addresses as such first, then as mapped ones: this keeps them from what is said of those.
  add('public', ['0.0.0.0/0']);
  add('refused', disguises);
  add('private', [localTranslation]);
  add('allowed', allowed);
  return [...rules.values()].sort((a, b) => (a.network < b.network ? -1 : 1));
}

function translated(network: string): readonly string[] {
  const [address = '', length] = network.split('/');
  return address.includes('.') ? [`64:ff9b::${address}/${96 + Number(length)}`] : [];
}

/** The same for every spelling of a network. */
function identityOf(network: string): string {
  const cidr = parseCidr(network);
  return cidr === undefined ? network : `${cidr.family} ${cidr.first} ${cidr.length}`;
}
