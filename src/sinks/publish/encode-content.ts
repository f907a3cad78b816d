import { isUtf8 } from 'node:buffer';
import { webcrypto } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import type { PublishedObject } from '../../kube/published-object.ts';
import { hidePasswords } from './hide-passwords.ts';
import type { WantedFile } from './wanted-files.ts';

/** Bytes that fit into one object beside the rest of it: etcd takes 1.5 MiB, a Secret holds 1 MiB, and a HAProxyCfg has a large status. */
const room = { config: 1_000_000, secret: 1_000_000, other: 1_400_000 };
const compress = promisify(zstdCompress);
const options = { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } };

/**
 * A file as the object that shows it. Digest and compression are made beside the main thread; it copies the bytes, once.
 *
 * The text is compressed above `threshold`, also below where it would not fit (unless `threshold` is 0: never), and where it is no UTF-8. What does
 * not even fit so is replaced by a line that says so.
 */
export async function encodeContent(
  wanted: WantedFile,
  threshold: number,
  signal: AbortSignal,
): Promise<PublishedObject> {
  const whole = Buffer.concat(wanted.content());
  const checksum = `sha256:${Buffer.from(await webcrypto.subtle.digest('SHA-256', whole)).toString('hex')}`;
  signal.throwIfAborted();
  const { kind, name, path, fileName, digest } = wanted;
  const object = { kind, name, path, fileName, digest, checksum };
  const bytes = kind === 'config' ? hidePasswords(whole) : whole;
  const most = kind === 'config' || kind === 'secret' ? room[kind] : room.other;
  const isText = isUtf8(bytes);
  if (isText && (threshold === 0 || bytes.byteLength <= threshold)) {
    const text = bytes.toString('utf8');
    // Escapes count: a text of many lines grows on the wire.
    const fits = bytes.byteLength <= most / 2 || Buffer.byteLength(JSON.stringify(text)) <= most;
    if (fits) return { ...object, text, compressed: false };
    if (threshold === 0) return oversizedForm(object, whole.byteLength);
  }
  const text = (await compress(bytes, options)).toString('base64');
  signal.throwIfAborted();
  if (text.length > most) return oversizedForm(object, whole.byteLength);
  return { ...object, text, compressed: true };
}

/** What takes the place of a file that fits into no object. */
export function oversizedForm(
  object: Omit<PublishedObject, 'text' | 'compressed' | 'oversized'>,
  bytes: number,
): PublishedObject {
  const text = `# ${bytes} bytes do not fit into a Kubernetes object: read ${object.path} on a HAProxy pod\n`;
  return { ...object, text, compressed: false, oversized: bytes };
}
