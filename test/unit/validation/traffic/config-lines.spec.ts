import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { configLines, unquoted } from '../../../../src/validation/traffic/config-lines.ts';

const words = (line: string) => configLines(line)[0]?.words.map(({ text }) => text);

describe('a line of haproxy.cfg', () => {
  it.each([
    ['  server a 10.0.0.1:80 check', ['server', 'a', '10.0.0.1:80', 'check']],
    ['bind *:80 # everybody', ['bind', '*:80']],
    ['# nothing', []],
    ['', []],
    ['acl x hdr(a) -m str "b # c"', ['acl', 'x', 'hdr(a)', '-m', 'str', '"b # c"']],
    ["acl x path 'a \\ b'", ['acl', 'x', 'path', "'a \\ b'"]],
    ['acl x path a\\ b\\#c', ['acl', 'x', 'path', 'a\\ b\\#c']],
    ['\tlog-format "%{+Q}o \\"x\\""', ['log-format', '"%{+Q}o \\"x\\""']],
    ['use "an open quote', ['use', 'an', 'open', 'quote']],
  ])('%s', (line, expected) => {
    expect(words(line)).toEqual(expected);
  });

  it('is in the section above it', () => {
    const config = 'x 0\nglobal\n  a 1\nfrontend web from base\n  b 2\n\nbackend "my site"\n  c 3\n';
    expect(configLines(config).map(({ section, name }) => `${section}/${name}`)).toEqual([
      '/',
      'global/',
      'global/',
      'frontend/web',
      'frontend/web',
      'frontend/web',
      'backend/my site',
      'backend/my site',
      'backend/my site',
    ]);
  });

  it('is kept, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (config) => {
        const lines = configLines(config);
        expect(lines.map(({ text }) => text).join('\n')).toBe(config);
        for (const { text, words } of lines)
          for (const word of words) expect(text.slice(word.start, word.end)).toBe(word.text);
      }),
    );
  });
});

it.each([
  ['plain', 'plain'],
  ['"a b"', 'a b'],
  ["'a\\b'", 'a\\b'],
  ['a\\ b', 'a b'],
  ['"a\\"b"', 'a"b'],
  ['x"y z"w', 'xy zw'],
])('%s is %s without its quotes', (text, plain) => {
  expect(unquoted(text)).toBe(plain);
});
