import xxhash from 'xxhash-wasm';

const hasher = await xxhash();
/** The hasher copies what it is given, and its memory never shrinks again. */
const chunkBytes = 64 * 1024;

/** xxhash64 as 16 lower-case hex digits: the digest of every file, section and plan (agent protocol, `files[].digest`). */
export function digest(data: Uint8Array | string): string {
  if (typeof data !== 'string' && data.byteLength > chunkBytes) return digestOf(chunksOf(data));
  const raw = typeof data === 'string' ? hasher.h64(data) : hasher.h64Raw(data);
  return raw.toString(16).padStart(16, '0');
}

/** The same digest over a sequence of byte runs, without joining them. */
export function digestOf(parts: Iterable<Uint8Array>): string {
  const state = hasher.create64();
  for (const part of parts) state.update(part);
  return state.digest().toString(16).padStart(16, '0');
}

/** xxhash64 as an unsigned 64-bit integer, for commutative sums over sets (add and subtract modulo 2^64). */
export function digestValue(data: string): bigint {
  return hasher.h64(data);
}

function* chunksOf(data: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < data.byteLength; at += chunkBytes) yield data.subarray(at, at + chunkBytes);
}
