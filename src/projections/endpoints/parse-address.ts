import { BlockList, isIPv4, isIPv6, SocketAddress } from 'node:net';
import { embeddedIpv4 } from '../../lib/http/embedded-ipv4.ts';
import { metadataBlocks } from '../../lib/http/metadata-blocks.ts';
import type { Parsed } from '../parsed.ts';
import { showValue } from '../show-value.ts';
import type { AddressFamily } from './service-port.ts';

const refused = notAHost();

/**
 * An endpoint's address: a literal of the slice's family, in canonical form so that two spellings are one server.
 * Refused as Kubernetes does: unspecified (HAProxy would read 0.0.0.0 as "wherever the client went"), link-local and multicast; and where clouds
 * answer for their machines; as IPv4 inside of IPv6, too. Loopback is accepted: clusters on one machine use it.
 */
export function parseAddress(raw: unknown, family: AddressFamily): Parsed<string> {
  const kind = family === 'IPv4' ? 'ipv4' : 'ipv6';
  const literal = kind === 'ipv4' ? isIPv4 : isIPv6;
  if (typeof raw !== 'string' || raw.includes('%') || !literal(raw)) {
    return { fault: `must be an ${family} address: ${showValue(raw)}` };
  }
  const inner = kind === 'ipv6' ? embeddedIpv4(raw) : [];
  if (refused.check(raw, kind) || inner.some((address) => refused.check(address, 'ipv4')))
    return { fault: `must be the address of one reachable host: ${raw}` };
  return { value: kind === 'ipv4' ? raw : new SocketAddress({ address: raw, family: kind }).address };
}

function notAHost(): BlockList {
  const list = new BlockList();
  list.addSubnet('0.0.0.0', 8, 'ipv4');
  list.addSubnet('169.254.0.0', 16, 'ipv4');
  list.addSubnet('224.0.0.0', 4, 'ipv4');
  list.addAddress('255.255.255.255', 'ipv4');
  list.addAddress('::', 'ipv6');
  list.addSubnet('fe80::', 10, 'ipv6');
  list.addSubnet('ff00::', 8, 'ipv6');
  for (const block of metadataBlocks) {
    const [network = '', length] = block.split('/');
    list.addSubnet(network, Number(length), isIPv6(network) ? 'ipv6' : 'ipv4');
  }
  return list;
}
