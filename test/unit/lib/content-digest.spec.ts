import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentDigest } from '../../../src/lib/content-digest.ts';
import { runSlices } from '../../../src/lib/run-slices.ts';
import { stableJson } from '../../../src/lib/stable-json.ts';

const of = (value: unknown) => runSlices(contentDigest(value));

/** The same data with the fields of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
}

describe('contentDigest', () => {
  it('is the same for data that is equal but for the order of fields, and for no other', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(of(reversed(a))).toBe(of(a));
        expect(of(a) === of(b)).toBe(stableJson(a) === stableJson(b));
      }),
    );
  });

  it('tells apart what is put together otherwise', () => {
    const different = [
      [],
      {},
      '',
      null,
      [[]],
      [{}],
      [[], []],
      ['a', 'b'],
      ['a,b'],
      { a: 'b' },
      [['a'], 'b'],
      '[]',
    ];
    expect(new Set(different.map(of)).size).toBe(different.length);
  });

  it('takes data that is larger than a slice, and nested as deep as it may be', () => {
    const wide = Array.from({ length: 10_000 }, (_, index) => ({ index }));
    expect(of(wide)).toBe(of(structuredClone(wide)));
    expect(of([...wide, 1])).not.toBe(of(wide));
    expect([...contentDigest(wide)].length).toBeGreaterThan(1);
    let deep: unknown = 1;
    let other: unknown = 2;
    for (let depth = 0; depth < 100_000; depth++) [deep, other] = [{ deep }, { deep: other }];
    expect(of(deep)).not.toBe(of(other));
  });
});
