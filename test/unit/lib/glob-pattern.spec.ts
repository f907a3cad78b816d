import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globPattern } from '../../../src/lib/glob-pattern.ts';

describe('globPattern', () => {
  it.each([
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
    ['a*c', 'abbc', true],
    ['a*c', 'abcd', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['*.example.com', 'www.example.com', true],
    ['*.example.com', 'example.com', false],
    ['a.c', 'abc', false],
    ['**', 'anything', true],
    ['*a*b*', 'xxaxxbxx', true],
    ['*a*b*', 'xxbxxaxx', false],
  ])('%s of %s is %s', (pattern, text, expected) => {
    expect(globPattern(pattern)(text)).toBe(expected);
  });

  it('does what the regular expression of the pattern does', () => {
    const letters = (chars: string) =>
      fc.string({ unit: fc.constantFrom(...Array.from(chars)), maxLength: 12 });
    fc.assert(
      fc.property(letters('ab*?'), letters('ab'), (pattern, text) => {
        const regex = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`);
        expect(globPattern(pattern)(text)).toBe(regex.test(text));
      }),
    );
  });

  it('ends on patterns that make a backtracking engine hang', () => {
    expect(globPattern(`${'*a'.repeat(30)}b`)('a'.repeat(5000))).toBe(false);
  });
});
