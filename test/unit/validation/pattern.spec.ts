import { describe, expect, it } from 'vitest';
import { parsePattern } from '../../../src/validation/pattern.ts';

const found = (source: string, text: string) => parsePattern(source, 'pattern').find(text);

describe('a pattern', () => {
  it('is found anywhere, the first match counts', () => {
    expect(found('b+', 'abbab')).toEqual({ index: 1, text: 'bb' });
    expect(found('c', 'abbab')).toBeUndefined();
  });

  it('takes ^ and $ for the ends of the text, and for those of lines with (?m)', () => {
    expect(found('^b$', 'a\nb\nc')).toBeUndefined();
    expect(found('(?m)^b$', 'a\nb\nc')).toEqual({ index: 2, text: 'b' });
  });

  it('takes the flags and groups of Go', () => {
    expect(found('(?i)HOST', 'a host')).toEqual({ index: 2, text: 'host' });
    expect(found('(?s)a.b', 'a\nb')).toEqual({ index: 0, text: 'a\nb' });
    expect(found('(?P<word>x)', 'x')).toEqual({ index: 0, text: 'x' });
  });

  it('counts matches that do not overlap', () => {
    expect(parsePattern('aa', 'pattern').count('aaaaa')).toBe(2);
    expect(parsePattern('(?m)^', 'pattern').count('a\nb')).toBe(2);
  });

  it('takes no time that grows beyond the text', () => {
    expect(found('(a+)+$', `${'a'.repeat(5000)}!`)).toBeUndefined();
  });

  it.each(['(', '[z-a]', '(?=x)', '\\1'])('refuses %s, naming its field', (source) => {
    const parse = () => parsePattern(source, 'assertions[3].pattern');
    expect(parse).toThrow(
      expect.objectContaining({
        code: 'HAPTIC_ERR_VALIDATION_ASSERTION',
        message: expect.stringMatching(/^assertions\[3\]\.pattern is no regular expression: /) as string,
      }) as Error,
    );
  });
});
