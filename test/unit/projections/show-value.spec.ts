import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { showValue } from '../../../src/projections/show-value.ts';

describe('showValue', () => {
  it.each([
    ['text', '"text"'],
    ['two\nlines "quoted"', '"two\\nlines \\"quoted\\""'],
    ['a\u0085b\u2028c\x7f', '"a\\u0085b\\u2028c\\u007f"'],
    ['', '""'],
    [7, '7'],
    [true, 'true'],
    [null, 'null'],
    [undefined, 'nothing'],
    [[1, 2], 'a list'],
    [{ a: 1 }, 'an object'],
  ])('shows %j as %s', (value, shown) => {
    expect(showValue(value)).toBe(shown);
  });

  it('cuts long text and says how long it was', () => {
    expect(showValue('x'.repeat(4096))).toBe(`"${'x'.repeat(80)}"… (4096 characters)`);
  });

  it('names a deeply nested object without walking it', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(showValue(deep)).toBe('a list');
  });

  it('is one short line, whatever the value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 500 }), fc.jsonValue()), (value) => {
        const shown = showValue(value);
        expect(shown).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        expect(shown.length).toBeLessThan(6 * 80 + 40);
      }),
    );
  });
});
