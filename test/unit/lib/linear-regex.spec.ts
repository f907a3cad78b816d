import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearRegex } from '../../../src/lib/linear-regex.ts';

describe('linearRegex', () => {
  it('matches anywhere in the text, unless it is anchored', () => {
    expect(linearRegex('b+').matches('abbc')).toBe(true);
    expect(linearRegex('^b+$').matches('abbc')).toBe(false);
    expect(linearRegex('(?i)B').matches('abc')).toBe(true);
  });

  it('finds the first match with its groups, absent ones as the empty text', () => {
    expect(linearRegex('(\\w+)@(\\w+)?').find('to a@b, c@d')).toStrictEqual(['a@b', 'a', 'b']);
    expect(linearRegex('(\\w+)@(\\w+)?').find('a@')).toStrictEqual(['a@', 'a', '']);
    expect(linearRegex('x').find('abc')).toBeUndefined();
  });

  it('finds all matches in order', () => {
    expect(linearRegex('\\d+').findAll('1, 22 and 333')).toStrictEqual(['1', '22', '333']);
    expect(linearRegex('\\d+').findAll('none')).toStrictEqual([]);
  });

  it.each([
    ['^[ ]+', '  ', '      a  b', '  a  b'],
    ['(?P<key>\\w+)=(\\w+)', '$2:${key}', 'a=b, c=d', 'b:a, d:c'],
    ['a', '$$1', 'bab', 'b$1b'],
    ['(a)', '${1}0', 'a', 'a0'],
    ['(a)', '$10', 'a', ''],
    ['a', '[${nothing}]', 'a', '[]'],
    ['a', '$&', 'a', '$&'],
    ['x*', '-', 'abc', '-a-b-c-'],
    ['b', 'x', 'aaa', 'aaa'],
  ])('replaces %s by %s, as Go does', (pattern, replacement, text, expected) => {
    expect(linearRegex(pattern).replaceAll(text, replacement)).toBe(expected);
  });

  it.each([
    ['(', /"\(" is not a regular expression: missing closing \)/],
    ['(?=x)', /is not a regular expression: invalid or unsupported Perl syntax/],
    ['(a)\\1', /is not a regular expression: invalid escape sequence/],
    ['a{1000}{1000}', /is not a regular expression/],
    ['\\pL{999}'.repeat(20), /too large with its repeated parts/],
    ['((ab){1,100}[x-z]{50}){1,100}', /is not a regular expression/],
    ['x'.repeat(1001), /more than 1000 characters/],
  ])('refuses %s and says why', (pattern, message) => {
    expect(() => linearRegex(pattern)).toThrow(RangeError);
    expect(() => linearRegex(pattern)).toThrow(message);
  });

  it('takes what people write, and tells how much it is', () => {
    const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
    expect(linearRegex('ab').size).toBe(2);
    expect(linearRegex('a{3}').size).toBe(3);
    expect(linearRegex('(ab){2,4}[x-z]').size).toBe(13);
    expect(linearRegex(`^(${label}\\.){1,10}${label}$`).size).toBeLessThan(1000);
    expect(linearRegex('^([0-9]{1,3}\\.){3}[0-9]{1,3}(/[0-9]{1,2})?$').size).toBeLessThan(50);
  });

  it('looks through no text without end', () => {
    expect(() => linearRegex('x').matches('y'.repeat(300_000))).toThrow(/more than 262144 characters/);
    expect(() => linearRegex('y').replaceAll('y'.repeat(200_000), 'z'.repeat(1000))).toThrow(
      /the replaced text has more than/,
    );
  });

  it('ends on expressions that make a backtracking engine hang', () => {
    const text = `${'a'.repeat(20_000)}!`;
    expect(linearRegex('(a+)+$').matches(text)).toBe(false);
    expect(linearRegex('^(a|a)*$').replaceAll(text, '')).toBe(text);
  });

  it('replaces as JavaScript does, where both know the expression', () => {
    const patterns = fc.constantFrom('a', 'b+', '[ab]c', '^a', 'c$', '\\s+', '(a|b)');
    fc.assert(
      fc.property(patterns, fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ') }), (pattern, text) => {
        expect(linearRegex(pattern).replaceAll(text, '-')).toBe(text.replace(new RegExp(pattern, 'g'), '-'));
      }),
    );
  });
});
