import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digest } from '../../../src/lib/digest.ts';
import { runSlices } from '../../../src/lib/run-slices.ts';
import { editOrderedMap, orderedMapFrom, valuesOf, type OrderedMap } from '../../../src/lib/ordered-map.ts';
import {
  ropeBytes,
  ropeDigest,
  ropeDigestInSlices,
  ropePatch,
  ropeSize,
  type RopePatch,
  type TextPiece,
} from '../../../src/lib/rope.ts';

const textOf = (rope: OrderedMap<TextPiece>) => [...valuesOf(rope)].map(({ text }) => text).join('');
const bytesOf = (rope: OrderedMap<TextPiece>) => Buffer.concat([...ropeBytes(rope)]);
const rope = (...texts: string[]) =>
  orderedMapFrom(texts.map((text, at) => [String(at).padStart(6, '0'), { text }] as const));

function patched(before: Buffer, { offset, length, bytes }: RopePatch): Buffer {
  return Buffer.concat([before.subarray(0, offset), ...bytes, before.subarray(offset + length)]);
}

/** Pieces of one to four bytes a character, the empty piece too. */
const piece = fc
  .string({ unit: fc.constantFrom('a', 'b', 'ä', '€', '🚦', '\n'), maxLength: 4 })
  .map((text) => ({ text }));
const key = fc.nat(400).map((n) => String(n).padStart(6, '0'));
const ropes = fc.array(fc.tuple(key, piece), { maxLength: 400 }).map(orderedMapFrom<TextPiece>);
const edits = fc.array(fc.tuple(key, fc.option(piece, { nil: undefined })), { maxLength: 6 });

describe('rope', () => {
  it('is the text of its pieces in key order, in UTF-8', () => {
    fc.assert(
      fc.property(ropes, (one) => {
        const text = Buffer.from(textOf(one));
        expect(bytesOf(one)).toEqual(text);
        expect(ropeSize(one)).toBe(text.byteLength);
        expect(runSlices(ropeDigestInSlices(one))).toBe(digest(text));
        expect(ropeDigest(one)).toBe(digest(text));
      }),
    );
  });

  it('has no bytes when it has no pieces', () => {
    expect(ropeBytes(rope())).toEqual([]);
    expect(ropeSize(rope())).toBe(0);
    expect(ropeDigest(rope())).toBe(digest(''));
  });

  it('encodes a run of pieces once and shares it between versions', () => {
    const before = rope(...Array.from({ length: 300 }, (_, n) => `line ${n}\n`));
    const after = editOrderedMap(before, [['000299', { text: 'other\n' }]]);
    const shared = ropeBytes(after).filter((run) => ropeBytes(before).includes(run));
    expect(shared.length).toBe(ropeBytes(before).length - 1);
    expect(ropeBytes(before)[0]).toBe(ropeBytes(before)[0]);
  });
});

describe('ropePatch', () => {
  it('turns the bytes of any rope into those of any other', () => {
    fc.assert(
      fc.property(ropes, ropes, (before, after) => {
        expect(patched(bytesOf(before), ropePatch(before, after))).toEqual(bytesOf(after));
      }),
      { numRuns: 300 },
    );
  });

  it('turns the bytes of a rope into those of an edited one, made from it or from scratch', () => {
    fc.assert(
      fc.property(ropes, edits, (before, changes) => {
        const after = editOrderedMap(before, changes);
        const scratch = orderedMapFrom(
          after.chunks.flatMap(({ keys, values }) => keys.map((at, n) => [at, { ...values[n]! }] as const)),
        );
        for (const version of [after, scratch])
          expect(patched(bytesOf(before), ropePatch(before, version))).toEqual(bytesOf(version));
      }),
      { numRuns: 500 },
    );
  });

  it('carries the changed piece alone', () => {
    const before = rope('äöü\n', 'two\n', '€uro\n');
    const after = editOrderedMap(before, [['000001', { text: 'zwölf\n' }]]);
    expect(ropePatch(before, after)).toEqual({
      offset: Buffer.byteLength('äöü\n'),
      length: Buffer.byteLength('two\n'),
      bytes: [new TextEncoder().encode('zwölf\n')],
    });
  });

  it('carries nothing between equal texts', () => {
    const { length, bytes } = ropePatch(rope('a', 'b'), rope('a', 'b'));
    expect([length, bytes]).toEqual([0, []]);
  });

  it('does not count a piece as both a common beginning and a common end', () => {
    const before = rope('a\n', 'a\n');
    const after = rope('a\n');
    const patch = ropePatch(before, after);
    expect([patch.length, patch.bytes]).toEqual([2, []]);
    expect(patched(bytesOf(before), patch)).toEqual(bytesOf(after));
  });

  it('spans from the first to the last of several changes', () => {
    const before = rope('a', 'b', 'c', 'd');
    const after = editOrderedMap(before, [
      ['000000', { text: 'A' }],
      ['000002', undefined],
    ]);
    const { offset, length, bytes } = ropePatch(before, after);
    expect([offset, length, Buffer.concat(bytes).toString()]).toEqual([0, 3, 'Ab']);
  });
});
