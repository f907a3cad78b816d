import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { errorMessage } from '../lib/error-message.ts';
import { limits } from '../protocol/limits.ts';

/** A blob that grows to more than this is not one of ours. */
const maxDecodedBytes = 256 * 1024 * 1024;
const decompress = promisify(zstdDecompress);
const newline = 0x0a;

/** The lines of a plan blob, or why it has none. */
export async function planBlobLines(
  blob: Uint8Array,
): Promise<{ readonly lines: Generator<string, undefined> } | { readonly reason: string }> {
  if (blob.byteLength > limits.planBlobBytes)
    return { reason: `it is larger than ${limits.planBlobBytes} bytes` };
  try {
    return { lines: linesOf(await decompress(blob, { maxOutputLength: maxDecodedBytes })) };
  } catch (error) {
    return {
      reason: `it cannot be decompressed: ${errorMessage(error)}`,
    };
  }
}

function* linesOf(text: Buffer): Generator<string, undefined> {
  for (let from = 0; from < text.byteLength;) {
    const found = text.indexOf(newline, from);
    const end = found < 0 ? text.byteLength : found;
    yield text.toString('utf8', from, end);
    from = end + 1;
  }
  return undefined;
}
