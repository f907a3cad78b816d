import { digestOf } from './digest.ts';
import { type Chunk, type OrderedMap } from './ordered-map.ts';
import type { Slices } from './slices.ts';

/** A piece of text in a rope. The rope's text is the concatenation of its pieces in key order. */
export interface TextPiece {
  readonly text: string;
}

/** A byte range of `base` replaced by `bytes` gives the newer text. Offsets and lengths are in bytes. */
export interface RopePatch {
  readonly offset: number;
  readonly length: number;
  readonly bytes: readonly Uint8Array[];
}

const encoder = new TextEncoder();
/** Chunks between two pauses. */
const slice = 16;

/** A chunk of a rope with its bytes, once they were asked for. */
interface EncodedChunk extends Chunk<TextPiece> {
  bytes?: Uint8Array;
}

/**
 * UTF-8 bytes of one chunk; encoded once and kept with the chunk itself: every pass over a large file asks all its chunks, and
 * a table beside them would double the time of the pass.
 */
function chunkBytes(chunk: EncodedChunk): Uint8Array {
  return (chunk.bytes ??= encoder.encode(chunk.values.map((piece) => piece.text).join('')));
}

/** The text as runs of bytes, in order. Runs are shared between versions: never write to them. */
export function ropeBytes(rope: OrderedMap<TextPiece>): readonly Uint8Array[] {
  return rope.chunks.map(chunkBytes);
}

export function ropeSize(rope: OrderedMap<TextPiece>): number {
  return rope.chunks.reduce((sum, chunk) => sum + chunkBytes(chunk).byteLength, 0);
}

/** xxhash64 of the whole text: one native pass over the bytes, no joined copy. */
export function ropeDigest(rope: OrderedMap<TextPiece>): string {
  return digestOf(ropeBytes(rope));
}

/** The same for a text of which no byte was asked for yet, with pauses while it is encoded. */
export function* ropeDigestInSlices(rope: OrderedMap<TextPiece>): Slices<string> {
  yield* encodeRope(rope);
  return ropeDigest(rope);
}

/** Encodes what is not encoded yet, with pauses: what is asked of the bytes afterwards is quick. */
export function* encodeRope(rope: OrderedMap<TextPiece>): Slices<void> {
  let count = 0;
  for (const chunk of rope.chunks as readonly EncodedChunk[]) {
    if (chunk.bytes !== undefined) continue;
    chunkBytes(chunk);
    if (++count % slice === 0) yield;
  }
}

/**
 * The smallest run of pieces whose replacement turns `before` into `after`: what lies between the common leading and
 * trailing pieces. Shared chunks cost nothing to skip.
 */
export function ropePatch(before: OrderedMap<TextPiece>, after: OrderedMap<TextPiece>): RopePatch {
  const shared = commonEnds(before.chunks, after.chunks);
  const oldPieces = before.chunks
    .slice(shared.head, before.chunks.length - shared.tail)
    .flatMap((chunk) => chunk.values);
  const newPieces = after.chunks
    .slice(shared.head, after.chunks.length - shared.tail)
    .flatMap((chunk) => chunk.values);
  const same = commonEnds(oldPieces, newPieces, (a, b) => a === b || a.text === b.text);
  let offset = 0;
  for (let i = 0; i < shared.head; i++) offset += chunkBytes(before.chunks[i] as Chunk<TextPiece>).byteLength;
  for (let i = 0; i < same.head; i++) offset += Buffer.byteLength((oldPieces[i] as TextPiece).text);
  let length = 0;
  for (let i = same.head; i < oldPieces.length - same.tail; i++)
    length += Buffer.byteLength((oldPieces[i] as TextPiece).text);
  const replaced = newPieces.slice(same.head, newPieces.length - same.tail);
  const bytes = replaced.length === 0 ? [] : [encoder.encode(replaced.map((piece) => piece.text).join(''))];
  return { offset, length, bytes };
}

/** Counts equal items at both ends; the tail never overlaps the head. */
function commonEnds<T>(
  a: readonly T[],
  b: readonly T[],
  equal: (a: T, b: T) => boolean = (x, y) => x === y,
): { head: number; tail: number } {
  const limit = Math.min(a.length, b.length);
  let head = 0;
  while (head < limit && equal(a[head] as T, b[head] as T)) head++;
  let tail = 0;
  while (tail < limit - head && equal(a[a.length - 1 - tail] as T, b[b.length - 1 - tail] as T)) tail++;
  return { head, tail };
}
