import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hideValues } from '../../../src/lib/hide-values.ts';

describe('hideValues', () => {
  it.each([
    ['the value s3cret-of-one is bad', ['s3cret-of-one'], 'the value [redacted] is bad'],
    ['cut off: "s3cret-of…" here', ['s3cret-of-one'], 'cut off: "[redacted]…" here'],
    ['twice abcd, abcd', ['abcd'], 'twice [redacted], [redacted]'],
    ['as JSON "a \\"long\\" secret"', ['a "long" secret'], 'as JSON "[redacted]"'],
    ['two s3cret-of-ones3cret-of-two', ['s3cret-of-one', 's3cret-of-two'], 'two [redacted]'],
    ['abc is too short, and so is the rest', ['abc', ''], 'abc is too short, and so is the rest'],
    ['nothing of it', ['s3cret-of-one'], 'nothing of it'],
    ['', ['s3cret-of-one'], ''],
  ])('%s', (text, values, expected) => {
    expect(hideValues(text, values)).toBe(expected);
  });

  it('leaves no eight characters of a value, wherever and however often it stands', () => {
    const value = fc.string({
      minLength: 8,
      maxLength: 80,
      unit: fc.constantFrom('a', 'b', 'c', 'd', '0', '1', '2', '3'),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('x ', '“', '\n'), value)), value, (pieces, other) => {
        const values = pieces.map(([, one]) => one);
        const shown = hideValues(pieces.map(([between, one]) => between + one).join(''), values);
        for (const one of values)
          for (let at = 0; at + 8 <= one.length; at++) expect(shown).not.toContain(one.slice(at, at + 8));
        expect(hideValues('a text of its own', [other])).toBe('a text of its own');
      }),
    );
  });
});
