import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cliWord, isSafeMapKey, isSafeMapValue, isSafeToken } from '../../../src/protocol/safe-token.ts';

const controls = ['\n', '\r', '\t', '\0', '\u001b', '\u007f'];

describe('isSafeToken', () => {
  it.each(['a', 'be_1.x:y-z', '^/a$', 'ü€', '#1', '"q"', '${HOME}'])('takes %j', (text) => {
    expect(isSafeToken(text)).toBe(true);
  });
  it.each(['', 'a b', 'a;b', '<<', 'a>b', 'a\\b', '\u00a0', ...controls.map((one) => `a${one}`)])(
    'refuses %j',
    (text) => {
      expect(isSafeToken(text)).toBe(false);
    },
  );
});

describe('isSafeMapKey', () => {
  it.each(['^/a\\.b$', 'a;b', '<x>', 'a#b', 'ü'])('takes %j', (text) => {
    expect(isSafeMapKey(text)).toBe(true);
  });
  it.each(['', '#a', 'a b', ...controls.map((one) => `a${one}b`)])('refuses %j', (text) => {
    expect(isSafeMapKey(text)).toBe(false);
  });
});

describe('isSafeMapValue', () => {
  it.each(['x', 'two  words', 'a;b\\c', '#x'])('takes %j', (text) => {
    expect(isSafeMapValue(text)).toBe(true);
  });
  it.each(['', ' x', 'x ', ...controls.map((one) => `a${one}b`)])('refuses %j', (text) => {
    expect(isSafeMapValue(text)).toBe(false);
  });
});

describe('cliWord', () => {
  it('escapes what would end the word, and nothing else', () => {
    expect(cliWord('a b;c<d>e\\f#g"h')).toBe('a\\ b\\;c\\<d\\>e\\\\f#g"h');
  });

  it('is one word that reads as the text again', () => {
    fc.assert(
      fc.property(fc.string().filter(isSafeMapValue), (text) => {
        const word = cliWord(text);
        expect(word.replace(/\\(.)/g, '$1')).toBe(text);
        expect(word.replace(/\\./g, '')).not.toMatch(/[ ;<>\\]/);
      }),
    );
  });
});
