import type { Cidr } from './cidr.ts';

const mappedPrefix = 0xffffn;

/**
 * A network as HAProxy prints its first address, with its length: `10.0.0.0/8`, `fd00::/8`. IPv4-mapped IPv6 networks are the IPv4 ones that they stand for. Not
 * for networks within `::/96`, which C libraries print in different ways.
 */
export function canonicalNetwork({ family, first, length }: Cidr): string {
  if (family === 4) return `${dotted(first)}/${length}`;
  if (length >= 96 && first >> 32n === mappedPrefix) return `${dotted(first & 0xffff_ffffn)}/${length - 96}`;
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((first >> BigInt(112 - 16 * at)) & 0xffffn).toString(16),
  );
  // The URL parser compresses the first of the longest runs of zeros (RFC 5952, 4.2), as inet_ntop does.
  return `${new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)}/${length}`;
}

function dotted(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.');
}
