import xxhash from 'xxhash-wasm';

const hasher = await xxhash();

/** Passes a byte stream on chunk by chunk and gives its size and xxhash64 digest, without holding more than one chunk. */
export async function digestStream(
  content: AsyncIterable<unknown>,
  write: (chunk: Buffer) => Promise<void>,
): Promise<{ readonly size: number; readonly digest: string }> {
  const state = hasher.create64();
  let size = 0;
  for await (const chunk of content) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    state.update(chunk);
    await write(chunk);
  }
  return { size, digest: state.digest().toString(16).padStart(16, '0') };
}
