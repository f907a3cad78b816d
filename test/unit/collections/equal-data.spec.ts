import * as fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { equalData } from '../../../src/collections/equal-data.ts';

describe('equalData', () => {
  it('agrees with deep equality on plain data', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(equalData(a, structuredClone(a))).toBe(true);
        expect(equalData(a, b)).toBe(isDeepStrictEqual(a, b));
      }),
      { numRuns: 500 },
    );
  });

  it('sees any one change of a value', () => {
    const leaf = fc.constantFrom<unknown>(1, 'x', null, true, undefined, [], {});
    fc.assert(
      fc.property(fc.dictionary(fc.string(), leaf, { minKeys: 1 }), leaf, fc.nat(), (object, other, at) => {
        const keys = Object.keys(object);
        const key = keys[at % keys.length]!;
        const changed = { ...object, [key]: other };
        expect(equalData(object, changed)).toBe(isDeepStrictEqual(object[key], other));
        const { [key]: _, ...smaller } = object;
        expect(equalData(object, smaller)).toBe(false);
        expect(equalData(smaller, object)).toBe(false);
      }),
    );
  });

  it.each([
    [Number.NaN, Number.NaN, true],
    [0, -0, false],
    [1, '1', false],
    [null, undefined, false],
    [null, {}, false],
    [{ a: undefined }, {}, false],
    [{}, { a: undefined }, false],
    [{ a: undefined }, { b: undefined }, false],
    [{ toString: undefined }, { other: undefined }, false],
    [[], {}, false],
    [{}, [], false],
    [[1, 2], [1], false],
    [Object.assign(Object.create(null), { a: 1 }), { a: 1 }, true],
    [new Uint8Array([1, 2]), new Uint8Array([1, 2]), true],
    [new Uint8Array([1, 2]), new Uint8Array([1, 3]), false],
    [new Uint8Array([1]), [1], false],
    [new Map([['a', [1]]]), new Map([['a', [1]]]), true],
    [new Map([['a', 1]]), new Map([['a', 2]]), false],
    [new Map([['a', undefined]]), new Map([['b', undefined]]), false],
    [new Map(), new Set(), false],
    [new Map([['a', 1]]), new Map(), false],
    [new Set([1, 2]), new Set([2, 1]), true],
    [new Set([1]), new Set([2]), false],
    [new Set([1]), new Set([1, 2]), false],
    [new Set([1]), [1], false],
    [new Date(1), new Date(1), false],
    [() => 1, () => 1, false],
  ] as [unknown, unknown, boolean][])('%s and %s: %s', (a, b, equal) => {
    expect(equalData(a, b)).toBe(equal);
  });

  it('takes anything to equal itself', () => {
    for (const value of [new Date(), () => 1, Symbol.iterator, new WeakMap()])
      expect(equalData(value, value)).toBe(true);
  });
});
