import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digest, digestOf, digestValue } from '../../../src/lib/digest.ts';

describe('digest', () => {
  it('is xxhash64 with seed 0, as published', () => {
    expect(digest('')).toBe('ef46db3751d8e999');
    expect(digest('abc')).toBe('44bc2cf5ad770999');
  });

  it('keeps leading zeros: always 16 lower-case hex digits', () => {
    fc.assert(fc.property(fc.string(), (text) => /^[0-9a-f]{16}$/.test(digest(text))));
  });

  it('is that of the whole, however large', () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));
    for (const size of [65_535, 65_536, 65_537, 131_072, 300_000]) {
      const data = bytes.subarray(0, size);
      expect(digest(data)).toBe(digestOf([data]));
      expect(digest(data)).toBe(digestOf([data.subarray(0, 1_000), data.subarray(1_000)]));
    }
  });

  it('is the same for a text, its UTF-8 bytes and any cut of them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.array(fc.nat(300)), (text, cuts) => {
        const bytes = Buffer.from(text);
        const ends = [...cuts.map((cut) => Math.min(cut, bytes.byteLength)), bytes.byteLength].sort(
          (a, b) => a - b,
        );
        const parts = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
        expect(digestOf(parts)).toBe(digest(bytes));
        expect(digest(text)).toBe(digest(bytes));
        expect(digestValue(text).toString(16).padStart(16, '0')).toBe(digest(text));
      }),
    );
  });
});
