import { isIPv6 } from 'node:net';

const v2Signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const v1Start = Buffer.from('PROXY ', 'latin1');
const v1MaxLength = 107;

/**
 * Bytes of the PROXY protocol header that a connection begins with, of version 1 or 2 (the protocol's specification, sections 2.1
 * and 2.2); 0 where it begins with none.
 */
export function proxyHeaderLength(bytes: Buffer): number | 'incomplete' {
  if (isPrefix(bytes, v2Signature)) {
    if (bytes.byteLength < 16) return 'incomplete';
    const length = 16 + bytes.readUInt16BE(14);
    return bytes.byteLength < length ? 'incomplete' : length;
  }
  if (!isPrefix(bytes, v1Start)) return 0;
  const end = bytes.indexOf('\r\n');
  if (end >= 0) return end + 2;
  return bytes.byteLength > v1MaxLength ? 0 : 'incomplete';
}

function isPrefix(bytes: Buffer, wanted: Buffer): boolean {
  const common = Math.min(bytes.byteLength, wanted.byteLength);
  return common > 0 && bytes.subarray(0, common).equals(wanted.subarray(0, common));
}

/** A header of version 1: the connection comes from `client`, and went to `host:port`. */
export function proxyHeader(client: string, to: { readonly host: string; readonly port: number }): string {
  const clientPort = 40_000;
  if (isIPv6(client))
    return `PROXY TCP6 ${client} ${isIPv6(to.host) ? to.host : '::1'} ${clientPort} ${to.port}\r\n`;
  const host = /^\d+\.\d+\.\d+\.\d+$/.test(to.host) && to.host !== '0.0.0.0' ? to.host : '127.0.0.1';
  return `PROXY TCP4 ${client} ${host} ${clientPort} ${to.port}\r\n`;
}
