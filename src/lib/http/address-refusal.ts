import { BlockList, isIP } from 'node:net';
import { addressRanges } from './address-ranges.ts';
import { embeddedIpv4 } from './embedded-ipv4.ts';

const lists = addressRanges.map(({ blocks, ...range }) => ({ ...range, list: listOf(blocks) }));

/**
 * Why nobody may be asked at this address; undefined if that is fine. IPv6 addresses that stand for an IPv4 one (mapped,
 * translated, tunnelled) are judged as that one.
 *
 * @param address literal, without brackets; a zone (`%eth0`) is left out of account
 */
export function addressRefusal(address: string, allowPrivate: boolean): string | undefined {
  const [bare = ''] = address.split('%');
  const family = isIP(bare);
  if (family === 0) return `${address} is no address`;
  const inner = family === 6 ? embeddedIpv4(bare) : [];
  if (inner.length > 0) {
    const refusal = inner.map((one) => addressRefusal(one, allowPrivate)).find((one) => one !== undefined);
    return refusal === undefined ? undefined : `${address} stands for ${refusal}`;
  }
  const found = lists.find(({ list }) => list.check(bare, family === 6 ? 'ipv6' : 'ipv4'));
  if (found === undefined || (found.refused !== 'never' && allowPrivate)) return undefined;
  return `${address}, ${found.what}`;
}

function listOf(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = '', bits] = block.split('/');
    list.addSubnet(network, Number(bits), network.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}
