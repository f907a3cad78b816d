import { gunzipSync } from 'node:zlib';
import { errorMessage } from '../lib/error-message.ts';

const maxBytes = 16 * 1024 * 1024;
const maxFiles = 1000;
const block = 512;

/**
 * Texts of the files in a gzipped tar archive (POSIX ustar, with the path prefix, GNU long names and pax paths), by path. Folders
 * and links are left out. A RangeError for what is no such archive, is larger than 16 MiB or has more than 1,000 files.
 */
export function unpackTarGz(bytes: Uint8Array): Readonly<Record<string, string>> {
  const archive = unzip(bytes);
  const files = new Map<string, string>();
  let longName: string | undefined;
  for (let at = 0; at + block <= archive.length;) {
    const header = archive.subarray(at, at + block);
    if (header.every((byte) => byte === 0)) break;
    if (checksumOf(header) !== octal(header, 148, 8)) throw new RangeError('the archive is not a tar file');
    const size = octal(header, 124, 12);
    const content = archive.subarray(at + block, at + block + size);
    if (content.length < size) throw new RangeError('the tar file ends within a file');
    at += block + Math.ceil(size / block) * block;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'L') longName = field(content, 0, size);
    else if (type === 'x') longName = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(content.toString())?.[1] ?? longName;
    else {
      if (type === '0' || type === '\0') files.set(longName ?? nameOf(header), content.toString('utf8'));
      if (files.size > maxFiles) throw new RangeError(`the archive has more than ${maxFiles} files`);
      longName = undefined;
    }
  }
  return Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function unzip(bytes: Uint8Array): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    throw new RangeError(`the archive cannot be unpacked: ${errorMessage(error)}`, { cause: error });
  }
}

function nameOf(header: Buffer): string {
  const prefix = field(header, 257, 5) === 'ustar' ? field(header, 345, 155) : '';
  const name = field(header, 0, 100);
  return (prefix === '' ? name : `${prefix}/${name}`).replace(/^\.\//, '');
}

function field(bytes: Buffer, at: number, length: number): string {
  const end = bytes.indexOf(0, at);
  return bytes.toString('utf8', at, end < 0 || end > at + length ? at + length : end);
}

function octal(header: Buffer, at: number, length: number): number {
  const digits = field(header, at, length).trim();
  if (!/^[0-7]+$/.test(digits)) throw new RangeError('the archive is not a tar file');
  return Number.parseInt(digits, 8);
}

/** The checksum field itself counts as blanks. */
function checksumOf(header: Buffer): number {
  let sum = 8 * 0x20;
  header.forEach((byte, at) => {
    if (at < 148 || at >= 156) sum += byte;
  });
  return sum;
}
