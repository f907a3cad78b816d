import type { PemBlock } from './pem-blocks.ts';

const [sequence, bitString] = [0x30, 0x03];

/**
 * Whether a PEM block has the shape of a revocation list (RFC 5280, 5.1): what is revoked, an algorithm and a signature, and nothing around them. A file with
 * one that is cut off or of another kind would be refused by HAProxy as a whole.
 */
export function isRevocationList({ pem }: PemBlock): boolean {
  const der = Buffer.from(
    pem
      .split('\n')
      .filter((line) => !line.startsWith('-----'))
      .join(''),
    'base64',
  );
  const whole = readElement(der, 0);
  if (whole?.tag !== sequence || whole.end !== der.length) return false;
  const tags: number[] = [];
  for (let at = whole.start; at < whole.end;) {
    const element = readElement(der, at);
    if (element === undefined) return false;
    tags.push(element.tag);
    at = element.end;
  }
  return tags.join() === [sequence, sequence, bitString].join();
}

/** Tag, and where the content begins and ends, of the DER element at a place; undefined: there is none that is whole. */
function readElement(
  der: Buffer,
  at: number,
): { readonly tag: number; readonly start: number; readonly end: number } | undefined {
  const [tag, first] = [der[at], der[at + 1]];
  // 0x80 would be a length that is told at the end, which DER has not.
  if (tag === undefined || first === undefined || first === 0x80) return undefined;
  const extra = first < 0x80 ? 0 : first - 0x80;
  if (extra > 4 || at + 2 + extra > der.length) return undefined;
  const length = extra === 0 ? first : der.readUIntBE(at + 2, extra);
  const start = at + 2 + extra;
  const end = start + length;
  return end > der.length ? undefined : { tag, start, end };
}
