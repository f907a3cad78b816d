import { describe, expect, it } from 'vitest';
import { isNestedDeeper } from '../../../src/lib/is-nested-deeper.ts';

describe('isNestedDeeper', () => {
  it('counts lists and objects, and no values', () => {
    expect(isNestedDeeper('x', 0)).toBe(false);
    expect(isNestedDeeper([], 0)).toBe(true);
    expect(isNestedDeeper([1, 'x', null], 1)).toBe(false);
    expect(isNestedDeeper([1, { a: 2 }], 1)).toBe(true);
    expect(isNestedDeeper([1, { a: 2 }], 2)).toBe(false);
  });

  it('ends on what is nested without end', () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) deep = depth % 2 === 0 ? { deep } : [deep];
    expect(isNestedDeeper(deep, 100)).toBe(true);
  });
});
