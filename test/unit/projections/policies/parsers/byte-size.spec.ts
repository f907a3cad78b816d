import { describe, expect, it } from 'vitest';
import { byteSize } from '../../../../../src/projections/policies/parsers/byte-size.ts';

describe('byteSize', () => {
  it.each([
    ['0', 0],
    ['unlimited', 0],
    ['1024', 1024],
    [' 8m ', 8 * 1024 ** 2],
    ['512K', 512 * 1024],
    ['2g', 2 * 1024 ** 3],
  ])('reads %j', (text, value) => {
    expect(byteSize(text)).toEqual({ value });
  });

  it.each(['', '-1', '1.5m', '1 m', '8mb', '1t', '0x10', '999999999999g'])('refuses %j', (text) => {
    expect(byteSize(text)).toHaveProperty('fault');
  });
});
