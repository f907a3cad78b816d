import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bareWord } from '../../../src/templates/context/bare-word.ts';
import { commentText } from '../../../src/templates/context/comment-text.ts';
import { logFormatArgument } from '../../../src/templates/context/log-format-argument.ts';
import { mapKey } from '../../../src/templates/context/map-key.ts';
import { mapValue } from '../../../src/templates/context/map-value.ts';
import { quoteArgument } from '../../../src/templates/context/quote-argument.ts';
import { regexArgument } from '../../../src/templates/context/regex-argument.ts';
import { relativePath } from '../../../src/templates/context/relative-path.ts';
import { sectionName } from '../../../src/templates/context/section-name.ts';

const contexts: Readonly<Record<string, (value: unknown) => string>> = {
  bareWord,
  commentText,
  logFormatArgument,
  mapKey,
  mapValue,
  quoteArgument,
  regexArgument,
  relativePath,
  sectionName,
};

/** What HAProxy reads in double quotes: a backslash makes the next character mean itself. */
function readQuoted(text: string): string {
  expect(text).toMatch(/^"(?:[^"\\$]|\\["\\$])*"$/);
  return text.slice(1, -1).replace(/\\(.)/g, '$1');
}

const printable = fc
  .string({ unit: 'grapheme' })
  .filter((text) => !/[\p{Cc}\u2028\u2029]/u.test(text) && text.isWellFormed());

describe.each(Object.entries(contexts))('%s', (_name, print) => {
  it.each([
    ['a line feed', 'a\nb'],
    ['a carriage return', 'a\rb'],
    ['NUL', 'a\0b'],
    ['a tab', 'a\tb'],
    ['an escape character', 'a\u001bb'],
    ['DEL', 'a\u007fb'],
    ['a Unicode line separator', 'a\u2028b'],
    ['half a surrogate pair', 'a\ud800b'],
    ['nothing', undefined],
    ['null', null],
    ['an object', { a: 1 }],
    ['a list', ['a']],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['a function', () => 'a'],
  ])('refuses %s', (_what, value) => {
    expect(() => print(value)).toThrow(RangeError);
  });

  it('never gives more than one line, whatever text comes in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        try {
          expect(print(text)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        } catch (error) {
          if (!(error instanceof RangeError)) throw error;
        }
      }),
    );
  });
});

describe('a bare word', () => {
  it.each([
    ['api.example.com', 'api.example.com'],
    ['/a/b_c-d@e+f,g=h~i*', '/a/b_c-d@e+f,g=h~i*'],
    [0, '0'],
    [-1.5, '-1.5'],
    [true, 'true'],
    [false, 'false'],
  ])('%s prints as it is', (value, expected) => {
    expect(bareWord(value)).toBe(expected);
  });

  it.each([
    'a b',
    'a"b',
    "a'b",
    'a\\b',
    'a#b',
    'a;b',
    '$HOME',
    '${HOME}',
    '%[src]',
    'a|b',
    'ä',
    '(x)',
    '{x}',
    '!x',
    '<',
    '`id`',
  ])('%s is refused, and the message names the helpers', (value) => {
    expect(() => bareWord(value)).toThrow(/is not a bare word; print it with \{\{quoted …\}\}/);
  });

  it('cannot be empty: it would shift the arguments after it', () => {
    expect(() => bareWord('')).toThrow(/the value is empty/);
  });

  it('is shortened in its error', () => {
    expect(() => bareWord(' '.repeat(4096))).toThrow(/^.{60,300}$/);
  });
});

describe('quoted', () => {
  it('reads back as the value', () => {
    fc.assert(
      fc.property(printable, (text) => {
        expect(readQuoted(quoteArgument(text))).toBe(text);
      }),
    );
  });

  it('prints the empty string as an argument', () => {
    expect(quoteArgument('')).toBe('""');
  });
});

describe('logformat', () => {
  it('reads back as the value, with every % doubled', () => {
    fc.assert(
      fc.property(printable, (text) => {
        const read = readQuoted(logFormatArgument(text));
        expect(read).toBe(text.replaceAll('%', '%%'));
        expect(read.replaceAll('%%', '')).not.toContain('%');
      }),
    );
  });
});

describe('regex', () => {
  it.each(['^/api/v[0-9]+/', '\\.php$', '(?i)^/x', 'a|b', '"x y"'])('%s keeps its meaning', (pattern) => {
    expect(readQuoted(regexArgument(pattern))).toBe(pattern);
  });

  it.each(['(', '[a', 'a{2,1}', '*a', 'x\\', '(?i)(', ''])(
    '%j does not compile and is refused',
    (pattern) => {
      expect(() => regexArgument(pattern)).toThrow(RangeError);
    },
  );
});

describe('map keys and values', () => {
  it.each(['shop.example.com/a', 'ä', '"', "'", '\\', '%[x]', '${HOME}', 'a;b', 'a#b'])(
    '%s is a key',
    (key) => {
      expect(mapKey(key)).toBe(key);
    },
  );

  it.each([
    ['', /cannot be empty/],
    ['a b', /has a space/],
    ['#a', /begins with #/],
    ['a'.repeat(8193), /more than 8192 bytes/],
  ])('%j is no key', (key, message) => {
    expect(() => mapKey(key)).toThrow(message);
  });

  it.each(['a', 'a b  c', '#a', '"', 42])('%s is a value', (value) => {
    expect(mapValue(value)).toBe(String(value));
  });

  it.each([
    ['', /cannot be empty/],
    [' a', /begins or ends with a space/],
    ['a ', /begins or ends with a space/],
    ['ä'.repeat(4097), /more than 8192 bytes/],
  ])('%j is no value', (value, message) => {
    expect(() => mapValue(value)).toThrow(message);
  });
});

describe('names and paths', () => {
  it.each(['a', 'ns_svc_80', 'a.b:c-d', 'a'.repeat(255)])('%s is a name', (name) => {
    expect(sectionName(name)).toBe(name);
  });

  it.each(['', 'a b', 'a/b', 'ä', 'a'.repeat(256), 'a;b'])('%j is no name', (name) => {
    expect(() => sectionName(name)).toThrow(/is not a name/);
  });

  it.each(['maps/host.map', 'general/x_y-1.txt', 'a'])('%s is a path', (path) => {
    expect(relativePath(path)).toBe(path);
  });

  it.each([
    '/etc/passwd',
    '../x',
    'a/../b',
    'a//b',
    'a/',
    '',
    '.hidden',
    'a b',
    'maps/..',
    `a/${'b'.repeat(255)}`,
  ])('%j is no path in the bundle', (path) => {
    expect(() => relativePath(path)).toThrow(/is not a relative path/);
  });

  it('haproxy.cfg is nobody else’s file', () => {
    expect(() => relativePath('haproxy.cfg')).toThrow(/haproxyConfig/);
  });

  it('a comment is one line', () => {
    expect(commentText('x # y')).toBe('# x # y');
  });
});
