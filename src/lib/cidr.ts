import { isIP } from 'node:net';

/** A network; an address is one with all bits. */
export interface Cidr {
  readonly family: 4 | 6;
  /** Its first address as a number. */
  readonly first: bigint;
  /** Bits of the prefix. */
  readonly length: number;
  /** As it was written. */
  readonly text: string;
}

/** Reads `10.0.0.0/8`, `10.0.0.1`, `fd00::/8`, `::1`; undefined for anything else. Bits after the prefix do not matter. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', prefix, more] = text.split('/');
  const family = isIP(address);
  if ((family !== 4 && family !== 6) || address.includes('%') || more !== undefined) return undefined;
  const bits = family === 4 ? 32 : 128;
  if (prefix !== undefined && (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits)) return undefined;
  const length = prefix === undefined ? bits : Number(prefix);
  const value = family === 4 ? ipv4Value(address) : ipv6Value(address);
  const rest = BigInt(bits - length);
  return { family, first: (value >> rest) << rest, length, text };
}

/** True if all addresses of the inner network are in the outer. An IPv4 network has no IPv6 address in it. */
export function containsAddress(outer: Cidr, inner: Cidr): boolean {
  if (outer.family !== inner.family || inner.length < outer.length) return false;
  const rest = BigInt((outer.family === 4 ? 32 : 128) - outer.length);
  return inner.first >> rest === outer.first >> rest;
}

function ipv4Value(address: string): bigint {
  return address.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function ipv6Value(address: string): bigint {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const plain =
    dotted === null
      ? address
      : `${dotted[1] ?? ''}${(ipv4Value(dotted[2] ?? '') >> 16n).toString(16)}:${(ipv4Value(dotted[2] ?? '') & 0xffffn).toString(16)}`;
  const [head = '', tail] = plain.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const left = groups(head);
  const right = groups(tail ?? '');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].reduce((value, part) => (value << 16n) | BigInt(`0x${part}`), 0n);
}
