import { describe, expect, it } from 'vitest';
import type { Assertion } from '../../../src/api/template-config.ts';
import { textChecks, type TextAssertionType } from '../../../src/validation/check-text.ts';

const text = 'one\ntwo\nthree two\n';

function check(type: TextAssertionType, fields: Partial<Assertion>, of = text): string | undefined {
  return textChecks[type](of, { type, ...fields }, 'assertions[0]');
}

describe('contains', () => {
  it('holds if the pattern matches', () => expect(check('contains', { pattern: 'tw.' })).toBeUndefined());
  it('else says which does not', () =>
    expect(check('contains', { pattern: 'four' })).toBe('"four" does not match'));
});

describe('not_contains', () => {
  it('holds if the pattern does not match', () =>
    expect(check('not_contains', { pattern: 'four' })).toBeUndefined());
  it('else says what matched, and where', () =>
    expect(check('not_contains', { pattern: 't[w]o' })).toBe('"t[w]o" matches "two" (line 2)'));
});

describe('equals', () => {
  it('holds for the same text', () => expect(check('equals', { expected: text })).toBeUndefined());

  it('else shows the difference', () => {
    expect(check('equals', { expected: 'one\n2\nthree two\n' })?.split('\n')).toEqual([
      'differs',
      '--- expected',
      '+++ rendered',
      '@@ -1,3 +1,3 @@',
      ' one',
      '-2',
      '+two',
      ' three two',
    ]);
  });

  it('takes a missing line end for a difference', () => {
    expect(check('equals', { expected: text.trimEnd() })).toContain('No newline at end of file');
  });

  it('cuts a long difference short, and says so', () => {
    const long = Array.from({ length: 100 }, (_, i) => `line ${i}\n`).join('');
    const error = check('equals', { expected: '' }, long) ?? '';
    expect(error.split('\n').length).toBeLessThan(30);
    expect(error).toMatch(/… \d+ more lines$/);
  });
});

describe('match_count', () => {
  it('holds for that many matches', () =>
    expect(check('match_count', { pattern: 'two', expected: '2' })).toBeUndefined());
  it('holds for none', () => expect(check('match_count', { pattern: 'x', expected: '0' })).toBeUndefined());
  it.each([
    ['one', '2', '"one" matches once, not 2'],
    ['two', '1', '"two" matches 2 times, not 1'],
  ])('else says how many there are', (pattern, expected, error) =>
    expect(check('match_count', { pattern, expected })).toBe(error),
  );
  it.each(['', 'two', '-1', '1.5'])('refuses %j as a number', (expected) =>
    expect(() => check('match_count', { pattern: 'x', expected })).toThrow(
      'assertions[0].expected is no number of matches',
    ),
  );
});

describe('match_order', () => {
  it('holds if each first match comes after the former', () =>
    expect(check('match_order', { patterns: ['one', 'two', 'three'] })).toBeUndefined());
  it('else says which two are the other way around', () =>
    expect(check('match_order', { patterns: ['three', 'one'] })).toBe(
      '"one" (line 1) does not come after "three" (line 3)',
    ));
  it('takes two matches at one place for no order', () =>
    expect(check('match_order', { patterns: ['one', 'on'] })).toContain('does not come after'));
  it('says which pattern does not match at all', () =>
    expect(check('match_order', { patterns: ['one', 'four'] })).toBe('"four" does not match'));
  it('needs two patterns', () =>
    expect(() => check('match_order', { patterns: ['one'] })).toThrow('assertions[0].patterns needs two'));
});

it.each([
  ['contains', 'pattern'],
  ['not_contains', 'pattern'],
  ['equals', 'expected'],
  ['match_count', 'pattern'],
  ['match_order', 'patterns'],
] as const)('%s without %s is refused', (type, field) => {
  expect(() => check(type, {})).toThrow(
    expect.objectContaining({
      code: 'HAPTIC_ERR_VALIDATION_ASSERTION',
      message: expect.stringContaining(`assertions[0].${field}`) as string,
    }) as Error,
  );
});
