import { createZstdDecompress } from 'node:zlib';
import { errorMessage } from '../lib/error-message.ts';
import { limits } from '../protocol/limits.ts';

/** A blob that grows to more than this is not one of ours. */
const maxDecodedBytes = 256 * 1024 * 1024;
const chunkBytes = 64 * 1024;
const newline = 0x0a;

/** The lines of a plan blob, or why it has none. */
export async function planBlobLines(
  blob: Uint8Array,
): Promise<{ readonly lines: Generator<string, undefined> } | { readonly reason: string }> {
  if (blob.byteLength > limits.planBlobBytes)
    return { reason: `it is larger than ${limits.planBlobBytes} bytes` };
  try {
    return { lines: linesOf(await decompress(blob)) };
  } catch (error) {
    return {
      reason: `it cannot be decompressed: ${errorMessage(error)}`,
    };
  }
}

/** Not joined: a copy of ten megabytes is what the event loop would wait for longest. */
async function decompress(blob: Uint8Array): Promise<readonly Buffer[]> {
  const zstd = createZstdDecompress({ chunkSize: chunkBytes });
  zstd.end(blob);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of zstd as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > maxDecodedBytes) throw new RangeError(`it has more than ${maxDecodedBytes} bytes`);
    chunks.push(chunk);
  }
  return chunks;
}

/** A line may go on in the next chunk, and break off in the midst of a character. */
function* linesOf(chunks: readonly Buffer[]): Generator<string, undefined> {
  let begun: Buffer[] = [];
  for (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      const rest = chunk.subarray(from, end);
      yield begun.length === 0 ? rest.toString() : Buffer.concat([...begun, rest]).toString();
      begun = [];
      from = end + 1;
    }
    if (from < chunk.byteLength) begun.push(chunk.subarray(from));
  }
  if (begun.length > 0) yield Buffer.concat(begun).toString();
  return undefined;
}
