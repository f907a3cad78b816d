/**
 * The IPv4 address that an IPv6 one stands for: RFC 4291 2.5.5 (compatible, mapped), RFC 6052 and 8215 (NAT64), RFC 3056 (6to4), RFC 4380 (Teredo). Several
 * where it depends on the length of a prefix that only the network knows; none for others.
 *
 * @param address literal, without brackets or zone
 */
export function embeddedIpv4(address: string): readonly string[] {
  const groups = groupsOf(address);
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const startsWith = (...first: readonly number[]): boolean => first.every((group, i) => groups[i] === group);
  const last = dotted(g, h);
  // `::` and `::1` are addresses of their own.
  if (startsWith(0, 0, 0, 0, 0, 0)) return g === 0 && h <= 1 ? [] : [last];
  if (startsWith(0, 0, 0, 0, 0, 0xffff) || startsWith(0, 0, 0, 0, 0xffff, 0)) return [last];
  if (startsWith(0x64, 0xff9b, 1)) return [...ofShorterPrefixes(d, e, f, g), last];
  if (startsWith(0x64, 0xff9b)) return [last];
  if (a === 0x2002) return [dotted(b, c)];
  if (startsWith(0x2001, 0)) return [dotted(g ^ 0xffff, h ^ 0xffff)];
  return [];
}

/** RFC 6052 2.2, for prefixes of 48, 56 and 64 bits; where the prefix is longer, zeros stand there first. */
function ofShorterPrefixes(d: number, e: number, f: number, g: number): readonly string[] {
  const [low, high] = [e & 0xff, f >> 8];
  return [
    dotted(d, (low << 8) | high),
    dotted(((d & 0xff) << 8) | low, f),
    dotted((low << 8) | high, ((f & 0xff) << 8) | (g >> 8)),
  ].filter((address) => !address.startsWith('0.'));
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The eight groups; the URL parser brings every spelling into one form, without dots. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const numbers = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const first = numbers(head);
  const last = tail === undefined ? [] : numbers(tail);
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}
